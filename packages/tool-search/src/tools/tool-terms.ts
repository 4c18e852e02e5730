import { foldText } from '../text/fold-text.ts';
import { stem } from '../text/stem.ts';
import { tokensOf } from '../text/token-scanner.ts';

/** Stems that were computed; names and descriptions repeat their words. */
const stems = new Map<string, string>();
const maxStems = 50_000;

/** The stemmed terms of a name or a description, in order: whole words and their parts. */
export function toolTerms(text: string): string[] {
  return tokensOf(foldText(text)).map(knownStem);
}

function knownStem(word: string): string {
  let known = stems.get(word);
  if (known === undefined) {
    if (stems.size >= maxStems) stems.clear();
    known = stem(word);
    stems.set(word, known);
  }
  return known;
}

/** A keyword of a query: as a whole, and the parts that it is made of. */
export interface KeywordTerms {
  readonly whole: string;
  /** The whole alone for a simple word. */
  readonly parts: readonly string[];
}

/** Splits a keyword as names are split: at separators, at changes of case, at digits, and ideographs in pairs. */
export function keywordTerms(keyword: string): KeywordTerms {
  const words = foldText(keyword)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const parts = words.flatMap((word) => {
    const [whole, ...rest] = toolTerms(word);
    return rest.length > 0 ? rest : whole === undefined ? [] : [whole];
  });
  return { whole: bareName(keyword), parts: [...new Set(parts)] };
}

/** A name without what separates its parts, in lower case: `send_message`, `sendMessage` and `Send-Message` are one. */
export function bareName(name: string): string {
  if (/^[a-z0-9_-]*$/.test(name)) return name.replaceAll(/[_-]+/g, '');
  return foldText(name)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { parseHtml } from '../../src/html/parse-html.ts';

/** How often each word of a text occurs, in lower case. */
export type WordCounts = ReadonlyMap<string, number>;

/** What one text has of another's words. */
export interface WordScore {
  /** Share of the words found that belong there. */
  readonly precision: number;
  /** Share of the words known that were found. */
  readonly recall: number;
  /** Harmonic mean of the two. */
  readonly f1: number;
}

/** Counts words: runs of letters and digits of any script. */
export function countWords(text: string): WordCounts {
  const counts = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** Counts the words that a reader of Markdown sees: no addresses, no fence languages. */
export function countMarkdownWords(markdown: string): WordCounts {
  const html = micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  const spaced = html.replaceAll(/<\/?(?:p|h\d|li|ul|ol|pre|blockquote|t[dhr]|br)\b/gu, ' $&');
  return countWords(parseHtml(spaced).body.textContent);
}

/** Compares the words found with those known, each as often as it occurs. */
export function scoreWords(found: WordCounts, known: WordCounts): WordScore {
  let common = 0;
  for (const [word, count] of found) {
    common += Math.min(count, known.get(word) ?? 0);
  }
  const precision = common / Math.max(total(found), 1);
  const recall = common / Math.max(total(known), 1);
  const sum = precision + recall;
  return { precision, recall, f1: sum === 0 ? 0 : (2 * precision * recall) / sum };
}

function total(counts: WordCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

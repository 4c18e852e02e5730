import { isStopWord } from '../text/stop-words.ts';
import { nearTerms, type NearTerm } from './near-terms.ts';
import type { Postings } from './invert-fields.ts';
import type { ToolIndex } from './tool-index.ts';
import { bareName, keywordTerms, type KeywordTerms } from './tool-terms.ts';

/** A keyword, and whether a tool must have it. */
export interface RankKeyword {
  readonly text: string;
  readonly required: boolean;
}

/** A tool that a query found. */
export interface RankedTool {
  readonly name: string;
  readonly score: number;
}

/** What a ranking says beside its tools. */
export interface Ranking {
  readonly tools: readonly RankedTool[];
  /** A required word stands in no name: descriptions were taken instead. */
  readonly relaxed: boolean;
}

/** A name that is asked for as a whole comes first whatever the words of others. */
const exactName = 1000;
/** Several parts of a keyword side by side in a name. */
const phraseBonus = 1.5;
/** A required word that only a description holds. */
const relaxedWeight = 0.3;
/**
 * Ranks tools for keywords: BM25F by term; a keyword of several parts counts more where they stand side by side in a
 * name; tools that cover more of the query come before those that repeat a part of it. Order: score, then name.
 */
export function rankTools(
  index: ToolIndex,
  keywords: readonly RankKeyword[],
  limit: number,
): Ranking {
  const telling = keywords.filter(
    ({ text, required }) => required || !isStopWord(text.toLowerCase()),
  );
  const split = telling.map((keyword) => ({ ...keyword, ...keywordTerms(keyword.text) }));
  const accumulators = accumulatorsOf(index);
  try {
    score(index, split, accumulators);
    const { docs, relaxed } = withRequired(index, split, accumulators);
    return { tools: top(index, { docs, scores: accumulators.scores, limit }), relaxed };
  } finally {
    const { scores, covered } = accumulators;
    const touched = touchedOf(accumulators);
    for (let i = 0; i < touched.length; i += 1) {
      scores[touched[i] ?? 0] = 0;
      covered[touched[i] ?? 0] = 0;
    }
    accumulators.count = 0;
  }
}

function score(
  index: ToolIndex,
  keywords: readonly (RankKeyword & KeywordTerms)[],
  accumulators: Accumulators,
): void {
  const { scores, covered } = accumulators;
  let parts = 0;
  for (const keyword of keywords) {
    for (const part of keyword.parts) {
      parts += 1;
      const known = index.postings(part);
      if (known === undefined) addLike(index, nearTerms(index, part), accumulators);
      else addKnown(known, accumulators);
    }
    addPhrase(index, keyword, scores);
  }
  const whole = bareName(keywords.map(({ text }) => text).join(''));
  for (const doc of whole === '' ? [] : index.withBareName(whole)) {
    touch(doc, accumulators);
    scores[doc] = (scores[doc] ?? 0) + exactName;
    covered[doc] = parts;
  }
  const touched = touchedOf(accumulators);
  for (let i = 0; i < touched.length; i += 1) {
    const doc = touched[i] ?? 0;
    scores[doc] = (scores[doc] ?? 0) * (0.5 + (0.5 * (covered[doc] ?? 0)) / Math.max(parts, 1));
  }
}

interface Accumulators {
  readonly scores: Float64Array;
  /** How many parts of the query a tool holds; a likeness counts as a fraction. */
  readonly covered: Float64Array;
  /** Tools with a score, of which there are `count`. */
  readonly touched: Int32Array;
  count: number;
}

function touchedOf({ touched, count }: Accumulators): Int32Array {
  return touched.subarray(0, count);
}

/** Notes a tool that is about to have its first score. */
function touch(doc: number, into: Accumulators): void {
  if (into.scores[doc] !== 0) return;
  into.touched[into.count] = doc;
  into.count += 1;
}

const kept = new WeakMap<ToolIndex, Accumulators>();

/** Zeroes, which the query that takes them leaves behind again: thousands of numbers are not made anew for each. */
function accumulatorsOf(index: ToolIndex): Accumulators {
  let accumulators = kept.get(index);
  if (accumulators === undefined) {
    const { length } = index.tools;
    const [scores, covered] = [new Float64Array(length), new Float64Array(length)];
    accumulators = { scores, covered, touched: new Int32Array(length), count: 0 };
    kept.set(index, accumulators);
  }
  return accumulators;
}

/** Adds what a term gives to the tools that have it: most of a query's work. */
function addKnown({ docs, impacts, idf }: Postings, into: Accumulators): void {
  const { scores, covered } = into;
  for (let i = 0; i < docs.length; i += 1) {
    const doc = docs[i] ?? 0;
    touch(doc, into);
    scores[doc] = (scores[doc] ?? 0) + idf * (impacts[i] ?? 0);
    covered[doc] = (covered[doc] ?? 0) + 1;
  }
}

/** The term itself where it is known, else what it may mean. */
function meanings(index: ToolIndex, part: string): readonly NearTerm[] {
  return index.postings(part) === undefined
    ? nearTerms(index, part)
    : [{ term: part, likeness: 1 }];
}

/** Adds what terms give that a part may mean: to each tool the best of them. */
function addLike(index: ToolIndex, near: readonly NearTerm[], into: Accumulators): void {
  const { scores, covered } = into;
  const best = new Map<number, number>();
  for (const { term, likeness } of near) {
    const postings = index.postings(term);
    if (postings === undefined) continue;
    const idf = likeness < 1 ? Math.min(postings.idf, index.maxIdf / 2) : postings.idf;
    const { docs, impacts } = postings;
    for (let i = 0; i < docs.length; i += 1) {
      const doc = docs[i] ?? 0;
      const gain = idf * (impacts[i] ?? 0) * likeness;
      if (near.length === 1) add(doc, gain, likeness);
      else if (gain > (best.get(doc) ?? 0)) best.set(doc, gain);
    }
  }
  for (const [doc, gain] of best) add(doc, gain, 0.7);

  function add(doc: number, gain: number, share: number): void {
    touch(doc, into);
    scores[doc] = (scores[doc] ?? 0) + gain;
    covered[doc] = (covered[doc] ?? 0) + share;
  }
}

/** Adds to tools in whose name a keyword's parts stand side by side. */
function addPhrase(index: ToolIndex, keyword: KeywordTerms, scores: Float64Array): void {
  if (keyword.parts.length < 2) return;
  const rarest = keyword.parts
    .map((part) => index.postings(part))
    .filter((postings) => postings !== undefined)
    .toSorted((a, b) => a.docs.length - b.docs.length)[0];
  for (const doc of rarest?.docs ?? []) {
    if (!index.tools[doc]?.bare.includes(keyword.whole)) continue;
    scores[doc] = (scores[doc] ?? 0) * phraseBonus;
  }
}

function withRequired(
  index: ToolIndex,
  keywords: readonly (RankKeyword & KeywordTerms)[],
  found: Accumulators,
): { docs: Int32Array; relaxed: boolean } {
  let docs = touchedOf(found);
  let relaxed = false;
  for (const { required, text, parts, whole } of keywords) {
    if (!required) continue;
    // No name and no description has a term that is none.
    if (parts.length === 0 || text.startsWith('+')) return { docs: new Int32Array(0), relaxed };
    const terms = parts.flatMap((part) => meanings(index, part).map(({ term }) => term));
    const named = docs.filter(
      (doc) => index.tools[doc]?.bare.includes(whole) === true || index.holds(doc, 'name', terms),
    );
    if (named.length > 0) {
      docs = named;
      continue;
    }
    docs = docs.filter((doc) => index.holds(doc, 'description', terms));
    for (const doc of docs) found.scores[doc] = (found.scores[doc] ?? 0) * relaxedWeight;
    relaxed ||= docs.length > 0;
  }
  return { docs, relaxed };
}

function top(
  index: ToolIndex,
  found: {
    readonly docs: Int32Array;
    readonly scores: Float64Array;
    readonly limit: number;
  },
): RankedTool[] {
  const { docs, scores, limit } = found;
  const best: RankedTool[] = [];
  for (let i = 0; i < docs.length; i += 1) {
    const doc = docs[i] ?? 0;
    const score = scores[doc] ?? 0;
    const last = best.length === limit ? best[limit - 1] : undefined;
    // Of thousands that hold some word most are told by their score alone.
    if (last !== undefined && score < last.score) continue;
    const candidate = { name: index.tools[doc]?.name ?? '', score };
    if (last !== undefined && !isBefore(candidate, last)) continue;
    let at = best.length;
    while (at > 0 && isBefore(candidate, best[at - 1] ?? candidate)) at -= 1;
    best.splice(at, 0, candidate);
    if (best.length > limit) best.pop();
  }
  return best;
}

function isBefore(a: RankedTool, b: RankedTool): boolean {
  return a.score > b.score || (a.score === b.score && a.name < b.name);
}

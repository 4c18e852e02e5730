import SearchableMap from 'minisearch/SearchableMap';
import type { ToolIndex } from './tool-index.ts';

/** A term of the index that a word of a query may mean. */
export interface NearTerm {
  readonly term: string;
  /** 1 for the word itself; less for what is only like it. */
  readonly likeness: number;
}

const maps = new WeakMap<ToolIndex, SearchableMap<true>>();
const maxSubstrings = 16;

/**
 * What a word that stands nowhere may mean: a part of a name that holds it, a word of a description that begins with
 * it, or, when there is none, a word that is a slip of the finger away. Words of less than three characters mean
 * nothing else.
 */
export function nearTerms(index: ToolIndex, word: string): readonly NearTerm[] {
  if (word.length < 3) return [];
  const contained = containing(index, word);
  return contained.length > 0 ? contained : misspelt(index, word);
}

function containing(index: ToolIndex, word: string): readonly NearTerm[] {
  const found: NearTerm[] = [];
  for (const term of index.vocabulary()) {
    if (!term.includes(word)) continue;
    found.push({ term, likeness: term.startsWith(word) ? 0.5 : 0.35 });
    if (found.length === maxSubstrings) break;
  }
  return found;
}

function misspelt(index: ToolIndex, word: string): readonly NearTerm[] {
  const allowed = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
  if (allowed === 0) return [];
  let map = maps.get(index);
  if (map === undefined) {
    map = new SearchableMap<true>();
    for (const term of index.vocabulary()) map.set(term, true);
    maps.set(index, map);
  }
  const found: NearTerm[] = [];
  // Two neighbours exchanged are two edits to the map, and one slip to us.
  for (const [term] of map.fuzzyGet(word, allowed + 1)) {
    const distance = slips(word, term);
    if (distance <= allowed) found.push({ term, likeness: 0.4 / distance });
  }
  return found;
}

/** Edits between two words, two neighbours exchanged counting as one (optimal string alignment). */
function slips(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => {
    const row = new Int32Array(b.length + 1);
    row[0] = i;
    return row;
  });
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let j = 0; j <= b.length; j += 1) rows[0]?.fill(j, j, j + 1);
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, at(i - 2, j - 2) + 1);
      }
      rows[i]?.fill(best, j, j + 1);
    }
  }
  return at(a.length, b.length);
}

import { lowerUnits, scanTokens } from '../text/scan-tokens.ts';
import { TermTable } from '../text/term-table.ts';

/** Lines of a passage, and passages of a file, at most. */
export const passageLines = 80;
export const maxPassages = 128;

/** Okapi BM25's constants. */
const k1 = 1.2;
const b = 0.75;
/** What a term in a file's path is worth, in occurrences that need no saturation. */
const pathWeight = 0.5;

/** A file in the index. */
export interface IndexedFile {
  readonly path: string;
  /** Tells whether the file may have changed; see `FileStat.token`. */
  readonly token: string;
  readonly sha256: string;
  /** Its passages: documents `first` up to `first + passages`. */
  readonly first: number;
  readonly passages: number;
  /** It has further lines that are not indexed. */
  readonly truncated: boolean;
}

/** A passage that answers a query. */
export interface RankedPassage {
  readonly file: IndexedFile;
  /** 0-based number of the passage in its file. */
  readonly passage: number;
  readonly score: number;
}

/**
 * An inverted index of passages for BM25 (Robertson and Zaragoza, 2009), with postings of its own. Files are added
 * and replaced one by one; a query names those that count, and statistics are of those alone, so that the same files
 * give the same scores whatever else was searched before.
 */
export class PassageIndex {
  readonly #terms = new TermTable();
  /** For each term: document, frequency, document, frequency … */
  readonly #postings: number[][] = [];
  readonly #lengths: number[] = [];
  readonly #files = new Map<string, IndexedFile>();
  #dead = 0;

  /** Documents of files that were replaced, as a share of all. */
  get waste(): number {
    return this.#lengths.length === 0 ? 0 : this.#dead / this.#lengths.length;
  }

  get passages(): number {
    return this.#lengths.length;
  }

  file(path: string): IndexedFile | undefined {
    return this.#files.get(path);
  }

  /** Adds a file, in place of an earlier state of it. */
  add(
    facts: { readonly path: string; readonly token: string; readonly sha256: string },
    text: string,
  ): IndexedFile {
    this.#dead += this.#files.get(facts.path)?.passages ?? 0;
    const first = this.#lengths.length;
    const { passages, truncated } = this.#addPassages(text);
    const file = { ...facts, first, passages, truncated };
    this.#files.set(facts.path, file);
    return file;
  }

  /** The best passages of some files for some terms: by score, then path, then place; at most `perFile` of one file. */
  rank(
    terms: readonly string[],
    files: readonly IndexedFile[],
    limits: { readonly limit: number; readonly perFile: number },
  ): RankedPassage[] {
    const owner = new Int32Array(this.#lengths.length).fill(-1);
    let count = 0;
    let total = 0;
    for (const [index, file] of files.entries()) {
      owner.fill(index, file.first, file.first + file.passages);
      count += file.passages;
      for (let doc = file.first; doc < file.first + file.passages; doc += 1) {
        total += this.#lengths[doc] ?? 0;
      }
    }
    const average = Math.max(total / Math.max(count, 1), 1);
    const scores = new Float64Array(this.#lengths.length);
    for (const term of terms) this.#score(term, { owner, scores, average, count, files });
    return best({ scores, owner, files }, limits);
  }

  #addPassages(text: string): { passages: number; truncated: boolean } {
    const folded = lowerUnits(text);
    let passages = 0;
    let start = 0;
    while (start < text.length || passages === 0) {
      if (passages === maxPassages) return { passages, truncated: true };
      const end = afterLines(text, start, passageLines);
      this.#addPassage(text.slice(start, end), folded.slice(start, end));
      passages += 1;
      start = end;
    }
    return { passages, truncated: false };
  }

  #addPassage(text: string, folded: string): void {
    const doc = this.#lengths.length;
    let length = 0;
    scanTokens(text, folded, (start, end) => {
      length += 1;
      const term = this.#terms.intern(folded, start, end);
      const postings = this.#postings[term];
      if (postings === undefined) {
        this.#postings[term] = [doc, 1];
        return;
      }
      const last = postings.length - 1;
      if (postings[last - 1] === doc) postings[last] = (postings[last] ?? 0) + 1;
      else postings.push(doc, 1);
    });
    this.#lengths.push(length);
  }

  #score(
    term: string,
    corpus: {
      readonly owner: Int32Array;
      readonly scores: Float64Array;
      readonly average: number;
      readonly count: number;
      readonly files: readonly IndexedFile[];
    },
  ): void {
    const { owner, scores, average, count, files } = corpus;
    const id = this.#terms.find(term);
    const postings = id === undefined ? [] : (this.#postings[id] ?? []);
    let frequency = 0;
    for (let i = 0; i < postings.length; i += 2) {
      if ((owner[postings[i] ?? 0] ?? -1) >= 0) frequency += 1;
    }
    const idf = Math.log(1 + (count - frequency + 0.5) / (frequency + 0.5));
    for (let i = 0; i < postings.length; i += 2) {
      const doc = postings[i] ?? 0;
      if ((owner[doc] ?? -1) < 0) continue;
      const tf = postings[i + 1] ?? 0;
      const norm = k1 * (1 - b + (b * (this.#lengths[doc] ?? 0)) / average);
      scores[doc] = (scores[doc] ?? 0) + (idf * tf * (k1 + 1)) / (tf + norm);
    }
    for (const file of files) {
      if (!pathHolds(file.path, term)) continue;
      for (let doc = file.first; doc < file.first + file.passages; doc += 1) {
        if ((scores[doc] ?? 0) > 0) scores[doc] = (scores[doc] ?? 0) + idf * pathWeight;
      }
    }
  }
}

function pathHolds(path: string, term: string): boolean {
  const folded = lowerUnits(path);
  if (!folded.includes(term)) return false;
  let holds = false;
  scanTokens(path, folded, (start, end) => {
    if (end - start === term.length && folded.startsWith(term, start)) holds = true;
  });
  return holds;
}

/** Where the text goes on after so many lines. */
function afterLines(text: string, start: number, lines: number): number {
  let at = start;
  for (let line = 0; line < lines; line += 1) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

function best(
  scored: {
    readonly scores: Float64Array;
    readonly owner: Int32Array;
    readonly files: readonly IndexedFile[];
  },
  limits: { readonly limit: number; readonly perFile: number },
): RankedPassage[] {
  const { scores, owner, files } = scored;
  const found: RankedPassage[] = [];
  for (let doc = 0; doc < scores.length; doc += 1) {
    const score = scores[doc] ?? 0;
    const file = files[owner[doc] ?? -1];
    if (score > 0 && file !== undefined) found.push({ file, passage: doc - file.first, score });
  }
  found.sort(
    (x, y) => y.score - x.score || comparePaths(x.file.path, y.file.path) || x.passage - y.passage,
  );
  const taken = new Map<string, number>();
  const kept: RankedPassage[] = [];
  for (const each of found) {
    const already = taken.get(each.file.path) ?? 0;
    if (already >= limits.perFile) continue;
    taken.set(each.file.path, already + 1);
    kept.push(each);
    if (kept.length === limits.limit) break;
  }
  return kept;
}

function comparePaths(a: string, b2: string): number {
  return a < b2 ? -1 : a > b2 ? 1 : 0;
}

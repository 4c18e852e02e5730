import { compareUtf8 } from '@toolwright/core';
import { TermTable } from '../text/term-table.ts';
import { TokenScanner, tokensOf } from '../text/token-scanner.ts';
import { PostingLists } from './posting-lists.ts';

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
  readonly pathTerms: ReadonlySet<string>;
}

/** The files of a query, and what is the same for all its terms. */
interface Corpus {
  readonly files: readonly IndexedFile[];
  /** For each document: its file, or -1 for one that does not count. */
  readonly owner: Int32Array;
  /** For each document: how its length weighs. */
  readonly norms: Float64Array;
  readonly count: number;
  readonly scores: Float64Array;
  /** Files by the terms of their paths. */
  readonly byPath: ReadonlyMap<string, readonly IndexedFile[]>;
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
  readonly #scanner = new TokenScanner();
  readonly #terms = new TermTable();
  readonly #postings = new PostingLists();
  readonly #lengths: number[] = [];
  readonly #files = new Map<string, IndexedFile>();
  #dead = 0;
  #lastCorpus: Corpus | undefined;

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
    const pathTerms = new Set(tokensOf(facts.path));
    const file = { ...facts, first, passages, truncated, pathTerms };
    this.#files.set(facts.path, file);
    return file;
  }

  /** The best passages of some files for some terms: by score, then path, then place; at most `perFile` of one file. */
  rank(
    terms: readonly string[],
    files: readonly IndexedFile[],
    limits: { readonly limit: number; readonly perFile: number },
  ): RankedPassage[] {
    const corpus = this.#corpusOf(files);
    const touched: number[] = [];
    for (const term of terms) this.#score(term, corpus, touched);
    const ranked = best(corpus, touched, limits);
    for (const doc of touched) corpus.scores[doc] = 0;
    return ranked;
  }

  /** The same files again, as in the next query of a session, cost nothing. */
  #corpusOf(files: readonly IndexedFile[]): Corpus {
    const last = this.#lastCorpus;
    const isSame =
      last?.owner.length === this.#lengths.length &&
      last.files.length === files.length &&
      files.every((file, index) => file === last.files[index]);
    if (last !== undefined && isSame) return last;
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
    const norms = Float64Array.from(
      this.#lengths,
      (length) => k1 * (1 - b + (b * length) / average),
    );
    const scores = new Float64Array(this.#lengths.length);
    this.#lastCorpus = { files, owner, norms, count, scores, byPath: filesByPath(files) };
    return this.#lastCorpus;
  }

  #addPassages(text: string): { passages: number; truncated: boolean } {
    this.#scanner.load(text);
    let passages = 0;
    let start = 0;
    while (start < text.length || passages === 0) {
      if (passages === maxPassages) return { passages, truncated: true };
      const end = afterLines(text, start, passageLines);
      this.#addPassage(start, end);
      passages += 1;
      start = end;
    }
    return { passages, truncated: false };
  }

  #addPassage(from: number, to: number): void {
    const doc = this.#lengths.length;
    const { folded } = this.#scanner;
    let length = 0;
    this.#scanner.scan(from, to, (start, end) => {
      length += 1;
      this.#postings.add(this.#terms.intern(folded, start, end), doc);
    });
    this.#lengths.push(length);
  }

  #score(term: string, corpus: Corpus, touched: number[]): void {
    const { owner, norms, scores, count } = corpus;
    const id = this.#terms.find(term);
    const postings = id === undefined ? [] : this.#postings.read(id);
    const isAll = count === this.#lengths.length;
    let frequency = isAll ? postings.length / 2 : 0;
    if (!isAll) {
      for (let i = 0; i < postings.length; i += 2) {
        if ((owner[postings[i] ?? 0] ?? -1) >= 0) frequency += 1;
      }
    }
    const idf = Math.log(1 + (count - frequency + 0.5) / (frequency + 0.5));
    const gain = idf * (k1 + 1);
    for (let i = 0; i < postings.length; i += 2) {
      const doc = postings[i] ?? 0;
      if (!isAll && (owner[doc] ?? -1) < 0) continue;
      const tf = postings[i + 1] ?? 0;
      const before = scores[doc] ?? 0;
      if (before === 0) touched.push(doc);
      scores[doc] = before + (gain * tf) / (tf + (norms[doc] ?? 0));
    }
    for (const file of corpus.byPath.get(term) ?? []) {
      for (let doc = file.first; doc < file.first + file.passages; doc += 1) {
        if ((scores[doc] ?? 0) > 0) scores[doc] = (scores[doc] ?? 0) + idf * pathWeight;
      }
    }
  }
}

function filesByPath(files: readonly IndexedFile[]): ReadonlyMap<string, readonly IndexedFile[]> {
  const byPath = new Map<string, IndexedFile[]>();
  for (const file of files) {
    for (const term of file.pathTerms) {
      const known = byPath.get(term);
      if (known === undefined) byPath.set(term, [file]);
      else known.push(file);
    }
  }
  return byPath;
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

/** The best documents, of each file the best few. */
function best(
  { scores, owner, files }: Corpus,
  touched: readonly number[],
  limits: { readonly limit: number; readonly perFile: number },
): RankedPassage[] {
  const kept: RankedPassage[] = [];
  let least = 0;
  for (const doc of touched) {
    const score = scores[doc] ?? 0;
    if (score < least) continue;
    const file = files[owner[doc] ?? -1];
    if (file === undefined) continue;
    insert(kept, { file, passage: doc - file.first, score }, limits);
    if (kept.length === limits.limit) least = kept.at(-1)?.score ?? 0;
  }
  return kept;
}

/** Puts a passage in its place, and takes out the worst of its file, or of all, when there are too many. */
function insert(
  kept: RankedPassage[],
  ranked: RankedPassage,
  limits: { readonly limit: number; readonly perFile: number },
): void {
  const same = kept.filter(({ file }) => file === ranked.file);
  const worst = same.at(-1);
  if (same.length >= limits.perFile && worst !== undefined) {
    if (!isBefore(ranked, worst)) return;
    kept.splice(kept.indexOf(worst), 1);
  }
  let at = kept.length;
  while (at > 0 && isBefore(ranked, kept[at - 1] ?? ranked)) at -= 1;
  kept.splice(at, 0, ranked);
  if (kept.length > limits.limit) kept.pop();
}

function isBefore(a: RankedPassage, other: RankedPassage): boolean {
  if (a.score !== other.score) return a.score > other.score;
  const order = compareUtf8(a.file.path, other.file.path);
  return order === 0 ? a.passage < other.passage : order < 0;
}

import { isCredentialPath, type GrepOutcome } from '@toolwright/core';
import { defaultTimeoutMs, type SearchContext, type SearchInput } from '../search/search-input.ts';

/** Files that one query ranks, at most. */
export const maxCandidates = 256;
/** Words that are looked up in the files of a large workspace; the longest tell most. */
const maxProbes = 8;

/** Which files a query ranks. */
export interface Candidates {
  /** The likeliest first. */
  readonly paths: readonly string[];
  /** Files that hold some word of the query; in a small workspace all files. */
  readonly matchingFiles: number;
  /** The scans for them were cut. */
  readonly truncated: boolean;
  /** All files were taken, as there are few. */
  readonly all: boolean;
}

/**
 * Chooses the files to rank: all of them when they are few, else those that cover most of the query's words, rare
 * words first.
 */
export async function selectCandidates(
  input: SearchInput,
  context: SearchContext,
  words: readonly string[],
): Promise<Candidates> {
  const few = await fewFiles(input, context);
  if (few !== undefined) {
    return { paths: few, matchingFiles: few.length, truncated: false, all: true };
  }
  const probes = words
    .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .slice(0, maxProbes);
  const scores = new Map<string, number>();
  let truncated = false;
  for (const word of probes) {
    const outcome = await probe(input, context, word);
    truncated ||= outcome.truncated;
    const rarity = Math.log(1 + 100_000 / (outcome.files.length + 1));
    for (const { path, matchingLines } of outcome.files) {
      const weight = rarity * (matchingLines / (matchingLines + 1));
      scores.set(path, (scores.get(path) ?? 0) + weight);
    }
  }
  const paths = [...scores]
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([path]) => path);
  return {
    paths: paths.slice(0, maxCandidates),
    matchingFiles: paths.length,
    truncated,
    all: false,
  };
}

/** All files, unless there are more than can be ranked. */
async function fewFiles(
  input: SearchInput,
  context: SearchContext,
): Promise<readonly string[] | undefined> {
  const path = input.path ?? '';
  const { kind } = await context.workspace.files.stat(path, { signal: context.signal });
  if (kind === 'file') return [path];
  const paths: string[] = [];
  for await (const batch of context.workspace.walker.walk({
    path,
    ...(input.include === undefined ? {} : { include: input.include }),
    hidden: input.hidden ?? true,
    ignore: !(input.no_ignore ?? false),
    signal: context.signal,
  })) {
    for (const entry of batch) {
      if (entry.kind === 'file' && !isCredentialPath(entry.path)) paths.push(entry.path);
    }
    if (paths.length > maxCandidates) return undefined;
  }
  return paths;
}

async function probe(
  input: SearchInput,
  context: SearchContext,
  word: string,
): Promise<GrepOutcome> {
  return context.workspace.search.grep({
    pattern: word,
    literal: true,
    caseSensitive: false,
    multiline: false,
    path: input.path ?? '',
    ...(input.include === undefined ? {} : { include: input.include }),
    hidden: input.hidden ?? true,
    ignore: !(input.no_ignore ?? false),
    gather: 'counts',
    context: 0,
    limit: 0,
    timeoutMs: input.timeout ?? defaultTimeoutMs,
    signal: context.signal,
  });
}

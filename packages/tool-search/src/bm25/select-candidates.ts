import { compareUtf8, isCredentialPath, ToolError, type GrepOutcome } from '@toolwright/core';
import type { NotSearched } from '../search/not-searched.ts';
import type { SearchDeadline } from '../search/search-deadline.ts';
import type { SearchContext, SearchInput } from '../search/search-input.ts';

/** Files that one query ranks, at most. */
export const maxCandidates = 256;
/** Words that are looked up in the files of a large workspace; the longest tell most. */
const maxProbes = 8;

/** What a ranked search works with, and until when. */
export interface RankedSearch {
  readonly context: SearchContext;
  readonly deadline: SearchDeadline;
}

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
  /** Where it could not be looked for files. */
  readonly notSearched: NotSearched;
}

/**
 * Chooses the files to rank: all of them when they are few, else those that cover most of the query's words, rare
 * words first.
 */
export async function selectCandidates(
  input: SearchInput,
  search: RankedSearch,
  words: readonly string[],
): Promise<Candidates> {
  const few = await fewFiles(input, search);
  if (few !== undefined) {
    const truncated = few.notSearched.some(({ reason }) => reason === 'deadline');
    return { ...few, matchingFiles: few.paths.length, truncated, all: true };
  }
  const probes = words
    .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .slice(0, maxProbes);
  const scores = new Map<string, number>();
  const notSearched = new Map<string, NotSearched[number]>();
  let truncated = false;
  for (const word of probes) {
    const outcome = await probe(input, search, word);
    truncated ||= outcome.truncated;
    for (const each of outcome.notSearched) notSearched.set(`${each.reason}\0${each.path}`, each);
    const rarity = Math.log(1 + 100_000 / (outcome.files.length + 1));
    for (const { path, matchingLines } of outcome.files) {
      const weight = rarity * (matchingLines / (matchingLines + 1));
      scores.set(path, (scores.get(path) ?? 0) + weight);
    }
  }
  const paths = [...scores]
    .toSorted(([a, x], [b, y]) => y - x || compareUtf8(a, b))
    .map(([path]) => path);
  const left = paths.slice(maxCandidates).map((path) => ({ path, reason: 'too_many' }));
  return {
    paths: paths.slice(0, maxCandidates),
    matchingFiles: paths.length,
    truncated,
    all: false,
    notSearched: [...notSearched.values(), ...left],
  };
}

/** All files, unless there are more than can be ranked. */
async function fewFiles(
  input: SearchInput,
  { context, deadline }: RankedSearch,
): Promise<Pick<Candidates, 'paths' | 'notSearched'> | undefined> {
  const path = input.path ?? '';
  const { kind } = await context.workspace.files.stat(path, { signal: context.signal });
  if (kind === 'file') return { paths: [path], notSearched: [] };
  const paths: string[] = [];
  const notSearched: { path: string; reason: string }[] = [];
  try {
    for await (const batch of context.workspace.walker.walk({
      path,
      ...(input.include === undefined ? {} : { include: input.include }),
      hidden: input.hidden ?? true,
      ignore: !(input.no_ignore ?? false),
      signal: deadline.signal,
      onUnread: ({ path: unread, reason }) => notSearched.push({ path: unread, reason }),
    })) {
      for (const entry of batch) {
        if (entry.kind === 'file' && !isCredentialPath(entry.path)) paths.push(entry.path);
      }
      if (paths.length > maxCandidates) return undefined;
    }
  } catch (error) {
    if (!deadline.hasPassed || ToolError.isInstance(error)) throw error;
    notSearched.push({ path, reason: 'deadline' });
  }
  return { paths, notSearched };
}

async function probe(
  input: SearchInput,
  { context, deadline }: RankedSearch,
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
    timeoutMs: deadline.leftMs,
    signal: context.signal,
  });
}

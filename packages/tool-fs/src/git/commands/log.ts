import type { Page, ToolOutput } from '@toolwright/core';
import { showName } from '../../display/show-name.ts';
import { damagedCursor, fromKeyCursor, toKeyCursor } from '../../paging/key-cursor.ts';
import { checkRevision } from '../check-revision.ts';
import { DEFAULT_LOG_LIMIT, pathsOf, type GitInput } from '../git-input.ts';
import { groupFields, splitNul } from '../parse-records.ts';
import { assertKnownPaths } from '../known-paths.ts';
import { toPathspecs, toRepositoryPaths } from '../pathspecs.ts';
import { footerOf, pageLimits } from '../page-of.ts';
import { findRevision, revisionFailed, runGit, tryGit, type GitContext } from '../run-git.ts';
import { takeWithin } from '../take-within.ts';

/** Commits that a cursor can lead past, at most: each page walks from the start again. */
const maxOffset = 5_000;

interface LogEntry {
  readonly commit: string;
  readonly author: string;
  readonly date: string;
  readonly subject: string;
}

interface LogRequest {
  readonly revisions: readonly string[];
  readonly paths: readonly string[];
  readonly offset: number;
  readonly limit: number;
}

/** `git log`: pages of commits, newest first. A cursor keeps to the commits that the first page began at. */
export async function gitLog(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const range = rangeOf(input);
  const paths = await toRepositoryPaths(pathsOf(input), context.workspace);
  const limit = input.limit ?? DEFAULT_LOG_LIMIT;
  const query = JSON.stringify(['log', range, paths]);
  const { offset, pinned } = fromCursor(input.cursor, query);
  const revisions = pinned ?? [range];
  const found = await readLog(context, { revisions, paths, offset, limit: limit + 1 });
  if (found.length === 0 && offset === 0) await assertKnownPaths(context, paths, []);
  const { items } = takeWithin(found.slice(0, limit));
  const next = offset + items.length;
  const truncated = found.length > items.length;
  const canGoOn = truncated && next <= maxOffset;
  const cursor = canGoOn
    ? toKeyCursor(
        next,
        query,
        (pinned ?? (await pin(context, { range, paths, first: items[0] }))).join(' '),
      )
    : null;
  const page: Page = {
    ...pageLimits(context, limit),
    offset,
    returned_items: items.length,
    total_items: truncated ? null : next,
    next_cursor: cursor,
    truncated,
  };
  const lines = items.map(
    ({ commit, author, date, subject }) =>
      `${commit.slice(0, 10)} ${date} ${showName(author)}: ${showName(subject)}\n`,
  );
  return {
    output:
      items.length === 0 && offset === 0 ? 'no commits\n' : `${lines.join('')}${footerOf(page)}`,
    metadata: { page: { ...page }, entries: items.map((entry) => ({ ...entry })) },
  };
}

function rangeOf(input: GitInput): string {
  const { ref, base } = input;
  if (base === undefined) return checkRevision(ref ?? 'HEAD', 'ref');
  return `${checkRevision(base, 'base')}..${checkRevision(ref ?? 'HEAD', 'ref')}`;
}

async function readLog(context: GitContext, request: LogRequest): Promise<readonly LogEntry[]> {
  const { revisions, paths, offset, limit } = request;
  const outcome = await tryGit(context.workspace.git, {
    args: [
      'log',
      '-z',
      '--no-show-signature',
      '--no-color',
      '--format=%H%x00%an <%ae>%x00%aI%x00%s',
      `--max-count=${limit}`,
      `--skip=${offset}`,
      '--end-of-options',
      ...revisions,
      '--',
      ...(paths.length === 0 ? [] : toPathspecs(paths)),
    ],
    access: 'read',
    signal: context.signal,
  });
  if (outcome.exitCode !== 0) {
    // The log of a repository without a commit is empty; another failure is one.
    const isUnborn = revisions.length === 1 && revisions[0] === 'HEAD';
    if (isUnborn && (await findRevision(context, 'HEAD')) === null) return [];
    throw await revisionFailed(context, revisions, outcome.stderr);
  }
  const records = groupFields(splitNul(outcome.stdout), 4);
  return records.map(([commit = '', author = '', date = '', subject = '']) => ({
    commit,
    author,
    date,
    subject,
  }));
}

/** The commits that the revisions mean now. */
async function pin(
  context: GitContext,
  first: {
    readonly range: string;
    readonly paths: readonly string[];
    readonly first: LogEntry | undefined;
  },
): Promise<readonly string[]> {
  const { range, paths } = first;
  // The newest commit of a single revision is that revision, unless paths leave it out.
  if (first.first !== undefined && paths.length === 0 && !/\.\.|[\^@:]/.test(range))
    return [first.first.commit];
  const output = await runGit(context.workspace.git, {
    args: ['rev-parse', '--revs-only', '--end-of-options', range],
    access: 'read',
    signal: context.signal,
  });
  return output.toString('latin1').split('\n').filter(isObject);
}

function fromCursor(
  cursor: string | undefined,
  query: string,
): { readonly offset: number; readonly pinned: readonly string[] | null } {
  const { offset, key } = fromKeyCursor(cursor, query);
  if (key === undefined) return { offset, pinned: null };
  const pinned = key.split(' ');
  if (offset <= maxOffset && pinned.every(isObject)) return { offset, pinned };
  throw damagedCursor();
}

function isObject(text: string): boolean {
  return /^\^?[0-9a-f]{40,64}$/.test(text);
}

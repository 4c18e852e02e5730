import { compareUtf8, ToolError, type ToolOutput } from '@toolwright/core';
import { cursorOfPlace, placeOfCursor, placePage } from './place-cursor.ts';
import { searchDeadline, type SearchDeadline } from './search-deadline.ts';
import {
  defaultLimit,
  footerBytes,
  maxAnchors,
  requestedLimit,
  type SearchContext,
  type SearchInput,
} from './search-input.ts';
import { boundedNotSearched, renderNotSearched, type NotSearched } from './not-searched.ts';
import { showName } from './show-name.ts';

/** Paths that one search gathers at most. */
const maxPaths = 200_000;

/** Finds files by a pattern for their paths. */
export async function globMode(input: SearchInput, context: SearchContext): Promise<ToolOutput> {
  const path = input.path ?? '';
  const sort = input.sort ?? 'path';
  const limit = input.limit ?? defaultLimit;
  const query = JSON.stringify(['glob', path, input.query, sort, input.hidden, input.no_ignore]);
  const place = placeOfCursor(input.cursor, query);
  const found = await findPaths(input, context);
  const paths = sort === 'path' ? found.paths : byRelevance(found.paths);
  const compare = sort === 'path' ? compareUtf8 : compareRelevance;
  const from = place === undefined ? 0 : firstAfter(paths, place.path, compare);
  const rows: string[] = [];
  let bytes = 0;
  for (const each of paths.slice(from, from + limit)) {
    const row = `${showName(each)}\n`;
    bytes += Buffer.byteLength(row);
    if (bytes > context.limits.maxOutputBytes - footerBytes && rows.length > 0) break;
    rows.push(row);
  }
  const notSearched = boundedNotSearched(found.unread);
  const end = from + rows.length;
  const last = paths[end - 1];
  const cursor =
    end < paths.length && last !== undefined
      ? cursorOfPlace({ offset: end, path: last, line: 0 }, query)
      : null;
  const shown = paths.slice(from, end);
  return {
    output:
      rows.join('') + noteOf(input, { found, from, end, cursor }) + renderNotSearched(notSearched),
    metadata: {
      mode: 'glob',
      sort,
      ...(found.takenLiterally ? { taken_literally: true } : {}),
      search: {
        matching_lines: 0,
        matching_files: paths.length,
        truncated: found.truncated,
        not_searched: notSearched,
      },
      source_anchors: shown.slice(0, maxAnchors),
      page: {
        ...placePage(
          { requested: requestedLimit(context, limit), applied: limit },
          { offset: from, returned: rows.length, total: paths.length, next: cursor },
        ),
      },
    },
  };
}

interface Found {
  readonly paths: readonly string[];
  /** Some match the pattern only with its brackets and parentheses taken as they are. */
  readonly takenLiterally: boolean;
  readonly truncated: boolean;
  /** Directories that could not be listed, and why not all was looked at. */
  readonly unread: NotSearched;
}

async function findPaths(input: SearchInput, context: SearchContext): Promise<Found> {
  const search = { context, deadline: searchDeadline(input, context) };
  const first = await walk(input, search, input.query);
  const found = /[[\]]/.test(input.query)
    ? joined(first, await walk(input, search, input.query.replaceAll(/[[\]]/g, '\\$&')))
    : first;
  if (found.paths.length > 0 || !/[{}()]/.test(input.query)) return found;
  return joined(found, await walk(input, search, input.query.replaceAll(/[[\]{}()!+@]/g, '\\$&')));
}

/**
 * What a pattern finds, and what it finds with brackets as parts of names: directories named with them are routes in
 * many frameworks, and `[id]` is not meant as `i` or `d` there.
 */
function joined(pattern: Found, literal: Found): Found {
  const paths = [...new Set([...pattern.paths, ...literal.paths])].toSorted(compareUtf8);
  if (paths.length === pattern.paths.length) return pattern;
  return {
    ...pattern,
    paths: paths.slice(0, maxPaths),
    takenLiterally: true,
    truncated: pattern.truncated || literal.truncated,
  };
}

async function walk(
  input: SearchInput,
  search: { readonly context: SearchContext; readonly deadline: SearchDeadline },
  include: string,
): Promise<Found> {
  const { context, deadline } = search;
  const paths: string[] = [];
  const unread: { path: string; reason: string }[] = [];
  const found = (truncated: boolean) => ({
    paths: paths.slice(0, maxPaths),
    takenLiterally: false,
    truncated,
    unread,
  });
  try {
    for await (const batch of context.workspace.walker.walk({
      path: input.path ?? '',
      include,
      hidden: input.hidden ?? true,
      ignore: !(input.no_ignore ?? false),
      signal: deadline.signal,
      onUnread: ({ path, reason }) => unread.push({ path, reason }),
    })) {
      for (const { path } of batch) paths.push(path);
      if (paths.length <= maxPaths) continue;
      unread.unshift({ path: '', reason: 'too_many' });
      return found(true);
    }
    return found(false);
  } catch (error) {
    if (!deadline.hasPassed || ToolError.isInstance(error)) throw error;
    unread.unshift({ path: input.path ?? '', reason: 'deadline' });
    return found(true);
  }
}

/** Shallow paths first, then short ones, then by path: what was meant by a loose pattern is rarely deep. */
function byRelevance(paths: readonly string[]): readonly string[] {
  return paths
    .map((path, index) => ({ path, index, depth: depthOf(path) }))
    .toSorted((a, b) => a.depth - b.depth || a.path.length - b.path.length || a.index - b.index)
    .map(({ path }) => path);
}

function compareRelevance(a: string, b: string): number {
  return depthOf(a) - depthOf(b) || a.length - b.length || compareUtf8(a, b);
}

function depthOf(path: string): number {
  return path.split('/').length;
}

/** Where the paths after one begin, which may be gone meanwhile. */
function firstAfter(
  paths: readonly string[],
  path: string,
  compare: (a: string, b: string) => number,
): number {
  const index = paths.findIndex((each) => compare(each, path) > 0);
  return index < 0 ? paths.length : index;
}

function noteOf(
  input: SearchInput,
  page: {
    readonly found: Found;
    readonly from: number;
    readonly end: number;
    readonly cursor: string | null;
  },
): string {
  const { found, from, end, cursor } = page;
  if (found.paths.length === 0) {
    return /[[\]{}()]/.test(input.query)
      ? '[no files match; write \\[ \\] \\{ \\} for brackets and braces that are part of a name]\n'
      : '[no files match; a pattern without "/" looks at names in every directory, "**" spans directories]\n';
  }
  const literally = found.takenLiterally
    ? '[brackets, braces and parentheses of the pattern were also taken as parts of names]\n'
    : '';
  if (cursor === null) return literally;
  return `${literally}[files ${from + 1}-${end} of ${found.paths.length}; go on with cursor ${JSON.stringify(cursor)}]\n`;
}

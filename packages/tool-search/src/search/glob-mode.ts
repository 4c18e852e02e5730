import { ToolError, type ToolOutput } from '@toolwright/core';
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
  const from = place === undefined ? 0 : paths.indexOf(place.path) + 1 || place.offset;
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
  /** The pattern matched nothing, and its brackets and parentheses were taken as they are. */
  readonly takenLiterally: boolean;
  readonly truncated: boolean;
  /** Directories that could not be listed, and why not all was looked at. */
  readonly unread: NotSearched;
}

async function findPaths(input: SearchInput, context: SearchContext): Promise<Found> {
  const search = { context, deadline: searchDeadline(input, context) };
  const first = await walk(input, search, input.query);
  if (first.paths.length > 0 || !/[[\]{}()]/.test(input.query)) return first;
  // Directories named with brackets or parentheses are routes in many frameworks.
  const literal = await walk(input, search, input.query.replaceAll(/[[\]{}()!+@]/g, '\\$&'));
  return literal.paths.length > 0 ? { ...literal, takenLiterally: true } : first;
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
  const depth = (path: string) => path.split('/').length;
  return paths
    .map((path, index) => ({ path, index, depth: depth(path) }))
    .toSorted((a, b) => a.depth - b.depth || a.path.length - b.path.length || a.index - b.index)
    .map(({ path }) => path);
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
    ? '[no file matches the pattern; its brackets and parentheses were taken as part of names]\n'
    : '';
  if (cursor === null) return literally;
  return `${literally}[files ${from + 1}-${end} of ${found.paths.length}; go on with cursor ${JSON.stringify(cursor)}]\n`;
}

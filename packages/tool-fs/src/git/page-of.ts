import { compareUtf8, type JsonObject, type JsonValue, type Page } from '@toolwright/core';
import { fromKeyCursor, toKeyCursor, type KeyPosition } from '../paging/key-cursor.ts';
import { DEFAULT_LIST_LIMIT, type GitInput } from './git-input.ts';
import type { GitContext } from './run-git.ts';
import { takeWithin } from './take-within.ts';

/** How the limit of a page came about. */
export function pageLimits(
  context: Pick<GitContext, 'clamped'>,
  limit: number,
): Pick<Page, 'requested_limit' | 'applied_limit' | 'limit_clamped'> {
  const asked = context.clamped.find(({ path }) => path === '/limit')?.from ?? limit;
  return {
    requested_limit: Number(asked),
    applied_limit: limit,
    limit_clamped: asked !== limit,
  };
}

/** The line at the end of a page that has more behind it. */
export function footerOf(page: Page): string {
  if (!page.truncated) return '';
  return page.next_cursor === null
    ? '[more follow; narrow the range or the paths]\n'
    : `[more follow; go on with cursor ${JSON.stringify(page.next_cursor)}]\n`;
}

/** A whole list that is given out in pages. */
export interface PagedList<T> {
  readonly query: string;
  readonly items: readonly T[];
  readonly line: (item: T) => string;
  /** What stays of an item when the list changes between two pages. */
  readonly keyOf: (item: T) => string;
  /** The list is in the order of the UTF-8 bytes of its keys. */
  readonly isSorted?: boolean;
}

/**
 * One page of a whole list, with its lines and its metadata. A cursor goes on after the last item that was given out,
 * wherever it stands by then. Errors: `invalid_argument` (`bad_cursor`).
 */
export function listPage<T extends JsonObject>(
  list: PagedList<T>,
  input: GitInput,
  context: GitContext,
): {
  readonly output: string;
  readonly metadata: { readonly page: JsonValue; readonly entries: JsonValue };
} {
  const limit = input.limit ?? DEFAULT_LIST_LIMIT;
  const { query, items, keyOf } = list;
  const offset = startOf(list, fromKeyCursor(input.cursor, query));
  const taken = takeWithin(items.slice(offset, offset + limit)).items;
  const next = offset + taken.length;
  const last = taken.at(-1);
  const truncated = next < items.length;
  const page: Page = {
    offset,
    ...pageLimits(context, limit),
    returned_items: taken.length,
    total_items: items.length,
    next_cursor: truncated && last !== undefined ? toKeyCursor(next, query, keyOf(last)) : null,
    truncated,
  };
  return {
    output: taken.map(list.line).join('') + footerOf(page),
    metadata: { page: { ...page }, entries: taken },
  };
}

/** Where in the list of now a page begins. Where its last item has gone, a sorted list goes on behind its place. */
function startOf<T>(
  { items, keyOf, isSorted }: PagedList<T>,
  { offset, key }: KeyPosition,
): number {
  if (key === undefined) return 0;
  const isUnmoved = items.slice(offset - 1, offset).some((item) => keyOf(item) === key);
  if (isUnmoved) return offset;
  const found = items.findIndex((item) => keyOf(item) === key);
  if (found >= 0) return found + 1;
  if (isSorted !== true) return Math.min(offset, items.length);
  const after = items.findIndex((item) => compareUtf8(keyOf(item), key) > 0);
  return after < 0 ? items.length : after;
}

import { paginate, type JsonObject, type JsonValue, type Page } from '@toolwright/core';
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

/** One page of a whole list, with its lines and its metadata. */
export function listPage<T extends JsonObject>(
  list: {
    readonly query: string;
    readonly items: readonly T[];
    readonly line: (item: T) => string;
  },
  input: GitInput,
  context: GitContext,
): {
  readonly output: string;
  readonly metadata: { readonly page: JsonValue; readonly entries: JsonValue };
} {
  const limit = input.limit ?? DEFAULT_LIST_LIMIT;
  const asked = pageLimits(context, limit).requested_limit;
  const { query, items } = list;
  const first = paginate(items, { limit, requestedLimit: asked, cursor: input.cursor, query });
  const fitting = takeWithin(first.items).items;
  const { items: taken, page } =
    fitting.length === first.items.length
      ? first
      : paginate(items, {
          limit: fitting.length,
          requestedLimit: asked,
          cursor: input.cursor,
          query,
        });
  return {
    output: taken.map(list.line).join('') + footerOf(page),
    metadata: { page: { ...page }, entries: taken },
  };
}

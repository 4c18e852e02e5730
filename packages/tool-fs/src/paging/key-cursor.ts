import { cursorOfOffset, offsetOfCursor, ToolError } from '@toolwright/core';

/** Where a page begins: how many items were given out before it, and the key of the last of them. */
export interface KeyPosition {
  readonly offset: number;
  /** Undefined for the first page. */
  readonly key: string | undefined;
}

/** An opaque cursor that goes on after an item by its key, wherever the item stands by then; `key` is not empty. */
export function toKeyCursor(offset: number, query: string, key: string): string {
  return `${cursorOfOffset(offset, query)}.${Buffer.from(key, 'utf8').toString('base64url')}`;
}

/** What `toKeyCursor` was given. Errors: `invalid_argument` (`bad_cursor`), also for another query. */
export function fromKeyCursor(cursor: string | undefined, query: string): KeyPosition {
  if (cursor === undefined) return { offset: 0, key: undefined };
  const dot = cursor.lastIndexOf('.');
  const offset = offsetOfCursor(cursor.slice(0, Math.max(0, dot)) || cursor, query);
  const key = Buffer.from(cursor.slice(dot + 1), 'base64url').toString('utf8');
  if (key === '' || key.includes('\0')) throw damagedCursor();
  return { offset, key };
}

/** The typed refusal of a cursor that has been changed. */
export function damagedCursor(): ToolError {
  return new ToolError(
    'invalid_argument',
    'cursor is damaged; pass next_cursor of the page before unchanged, or leave it out.',
    { reason: 'bad_cursor' },
  );
}

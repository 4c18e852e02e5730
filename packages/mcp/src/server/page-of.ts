import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { paginate, ToolError } from '@toolwright/core';

/** Items in one answer: nearly every client reads the first page alone. */
const pageSize = 1_000;

/** One page of a list. Errors: `-32602` for a cursor that was never given out for it. */
export function pageOf<T>(
  items: readonly T[],
  cursor: string | undefined,
  list: string,
): { readonly items: T[]; readonly next: { readonly nextCursor?: string } } {
  try {
    const { items: taken, page } = paginate(items, { limit: pageSize, cursor, query: list });
    const { next_cursor: nextCursor } = page;
    return { items: [...taken], next: nextCursor === null ? {} : { nextCursor } };
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  }
}

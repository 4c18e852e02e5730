import { ToolError } from '../errors/tool-error.ts';

/** `metadata.page` of a paged list. */
export interface Page {
  readonly offset: number;
  readonly requested_limit: number;
  readonly applied_limit: number;
  readonly returned_items: number;
  /** Null when the whole was not counted. */
  readonly total_items: number | null;
  readonly next_cursor: string | null;
  readonly truncated: boolean;
  readonly limit_clamped: boolean;
}

/** What a caller asked for. */
export interface PageRequest {
  readonly limit: number;
  /** What the caller asked before clamping. Default: `limit`. */
  readonly requestedLimit?: number;
  /** A cursor from an earlier page; absent or blank for the first one. */
  readonly cursor?: string | undefined;
  /** Digest of everything that makes the list: a cursor is refused for another. */
  readonly query: string;
}

/**
 * Takes one page of a complete list. Errors: `invalid_argument` with `bad_cursor` (malformed, or from another
 * query) or `out_of_range` (beyond the end; exactly at the end is an empty page).
 */
export function paginate<T>(
  items: readonly T[],
  request: PageRequest,
): { readonly items: readonly T[]; readonly page: Page } {
  const offset = offsetOfCursor(request.cursor, request.query);
  if (offset > items.length) {
    throw new ToolError(
      'invalid_argument',
      `The cursor points at item ${offset} of ${items.length}: the list has become shorter; begin again without a cursor.`,
      { reason: 'out_of_range' },
    );
  }
  const taken = items.slice(offset, offset + request.limit);
  const next = offset + taken.length;
  const requested = request.requestedLimit ?? request.limit;
  return {
    items: taken,
    page: {
      offset,
      requested_limit: requested,
      applied_limit: request.limit,
      returned_items: taken.length,
      total_items: items.length,
      next_cursor: next < items.length ? cursorOfOffset(next, request.query) : null,
      truncated: next < items.length,
      limit_clamped: requested !== request.limit,
    },
  };
}

/** An opaque cursor for an offset in the list that `query` makes. */
export function cursorOfOffset(offset: number, query: string): string {
  return `${offset.toString(36)}.${fingerprint(query)}`;
}

/** The offset of a cursor; 0 for none. Errors: `invalid_argument` with `bad_cursor`. */
export function offsetOfCursor(cursor: string | undefined, query: string): number {
  if (cursor === undefined || cursor.trim() === '') return 0;
  const match = /^([0-9a-z]{1,10})\.([0-9a-z]+)$/.exec(cursor);
  const offset = match === null ? Number.NaN : Number.parseInt(match[1] ?? '', 36);
  if (match === null || !Number.isSafeInteger(offset)) {
    throw new ToolError(
      'invalid_argument',
      'cursor is not one that this tool gave out; pass next_cursor of an earlier page unchanged, or leave it out.',
      { reason: 'bad_cursor' },
    );
  }
  if (match[2] !== fingerprint(query)) {
    throw new ToolError(
      'invalid_argument',
      'cursor belongs to another query; repeat the arguments of the page it came from, or leave it out.',
      { reason: 'bad_cursor' },
    );
  }
  return offset;
}

/** 64-bit FNV-1a in two halves: a guard against mistakes, not against forgery. */
function fingerprint(text: string): string {
  let low = 0x84222325;
  let high = 0xcbf29ce4;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ ((unit << 7) | (low >>> 25)), 0x01000193);
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36);
}

import { cursorOfOffset, offsetOfCursor, ToolError, type Page } from '@toolwright/core';

/** A place in a list that is sorted by path: the last item that was given out, and how many came before the next. */
export interface Place {
  readonly offset: number;
  readonly path: string;
  /** 1-based; 0 where the list is of paths. */
  readonly line: number;
}

/** An opaque cursor that goes on after a place, for the query that made the list. */
export function cursorOfPlace(place: Place, query: string): string {
  const where = Buffer.from(JSON.stringify([place.path, place.line]), 'utf8').toString('base64url');
  return `${cursorOfOffset(place.offset, query)}.${where}`;
}

/** The place of a cursor; undefined for none. Errors: `invalid_argument` with `bad_cursor`. */
export function placeOfCursor(cursor: string | undefined, query: string): Place | undefined {
  if (cursor === undefined || cursor.trim() === '') return undefined;
  const dot = cursor.lastIndexOf('.');
  const offset = offsetOfCursor(cursor.slice(0, Math.max(dot, 0)) || cursor, query);
  const where = parsePlace(cursor.slice(dot + 1));
  if (where === undefined) {
    throw new ToolError(
      'invalid_argument',
      'cursor is damaged; pass next_cursor of the page before unchanged, or leave it out.',
      { reason: 'bad_cursor' },
    );
  }
  return { offset, ...where };
}

function parsePlace(text: string): { path: string; line: number } | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (!Array.isArray(value)) return undefined;
    const [path, line]: readonly unknown[] = value;
    if (typeof path !== 'string' || typeof line !== 'number') return undefined;
    return Number.isSafeInteger(line) && line >= 0 ? { path, line } : undefined;
  } catch {
    return undefined;
  }
}

/** How long a page may be, and what the caller asked. */
export interface PageLimit {
  readonly requested: number;
  readonly applied: number;
}

/** `metadata.page` of a page that ends at `last`. */
export function placePage(
  limit: PageLimit,
  page: {
    readonly offset: number;
    readonly returned: number;
    readonly total: number | null;
    readonly next: string | null;
  },
): Page {
  return {
    offset: page.offset,
    requested_limit: limit.requested,
    applied_limit: limit.applied,
    returned_items: page.returned,
    total_items: page.total,
    next_cursor: page.next,
    truncated: page.next !== null,
    limit_clamped: limit.requested !== limit.applied,
  };
}

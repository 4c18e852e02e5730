import { cursorOfOffset, offsetOfCursor, ToolError } from '@toolwright/core';
import type { OpenText } from './open-document.ts';

/** Hex digits of a text's digest that a cursor carries. */
const DIGEST_DIGITS = 12;

/** A cursor for a byte of a text; it is refused for another file, and once the text has changed. */
export function toReadCursor(text: OpenText, byte: number): string {
  return `${cursorOfOffset(byte, text.path)}.${text.sha256.slice(0, DIGEST_DIGITS)}`;
}

/**
 * The byte that a cursor points at. Errors: `invalid_argument` with `bad_cursor`; `version_conflict` when the text has
 * changed since the cursor was given out.
 */
export function fromReadCursor(text: OpenText, cursor: string): number {
  const dot = cursor.lastIndexOf('.');
  const byte = offsetOfCursor(cursor.slice(0, Math.max(0, dot)) || 'no cursor', text.path);
  const digest = cursor.slice(dot + 1);
  if (digest !== text.sha256.slice(0, DIGEST_DIGITS)) {
    throw new ToolError(
      'version_conflict',
      `${JSON.stringify(text.path)} has changed since the cursor was given out; read it again from the start.`,
      { reason: 'changed_since_cursor', fields: { path: text.path } },
    );
  }
  if (byte > text.source.size) {
    throw new ToolError('invalid_argument', 'cursor points behind the end of the file.', {
      reason: 'bad_cursor',
    });
  }
  return byte;
}

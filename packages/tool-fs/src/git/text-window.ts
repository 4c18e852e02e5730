import { createHash } from 'node:crypto';
import { ToolError, type JsonObject } from '@toolwright/core';

/** What part of a text is asked for. */
export interface WindowRequest {
  readonly offset: number;
  readonly maxBytes: number;
  /** Digest of the whole that an earlier window told; another one is a conflict. */
  readonly sha256?: string;
}

/** A window that was taken. */
export interface TextWindow {
  readonly text: string;
  readonly totalBytes: number;
  readonly nextOffset: number | null;
  readonly range: JsonObject;
}

/** Takes a window of a text that streams by: of the rest only count and digest are kept. */
export class WindowTaker {
  readonly #request: WindowRequest;
  readonly #chunks: Uint8Array[] = [];
  readonly #hash = createHash('sha256');
  #total = 0;

  constructor(request: WindowRequest) {
    this.#request = request;
  }

  push(bytes: Uint8Array): void {
    const { offset, maxBytes } = this.#request;
    // One byte before tells whether the window begins inside a character.
    const from = Math.max(offset - 3 - this.#total, 0);
    const to = offset + maxBytes + 4 - this.#total;
    if (from < bytes.length && to > 0) {
      this.#chunks.push(new Uint8Array(bytes.subarray(from, to)));
    }
    this.#hash.update(bytes);
    this.#total += bytes.length;
  }

  /** Whether there is more than fits into one window. */
  get isLong(): boolean {
    return this.#total - this.#request.offset > this.#request.maxBytes;
  }

  /**
   * Takes the window, of at most `maxBytes` where that is less than what was asked for. Errors: `invalid_argument` with `out_of_range` or `mid_character`, `version_conflict` when the whole is
   * another than the digest says.
   */
  finish(maxBytes = this.#request.maxBytes): TextWindow {
    const { offset, sha256: expected } = this.#request;
    const sha256 = this.#hash.digest('hex');
    if (expected !== undefined && expected !== sha256) {
      throw new ToolError(
        'version_conflict',
        'The text has changed since the window before; begin again without a cursor.',
        { fields: { expected, actual: sha256 } },
      );
    }
    if (offset > this.#total) {
      throw badOffset(`byte_offset ${offset} is beyond the end at ${this.#total}`, 'out_of_range');
    }
    const kept = Buffer.concat(this.#chunks);
    const start = Math.min(offset, 3);
    if (!isBoundary(kept, start)) {
      throw badOffset(`byte_offset ${offset} is inside a character`, 'mid_character');
    }
    let end = boundaryAt(kept, start, Math.min(start + maxBytes, kept.length));
    let text = decode(kept.subarray(start, end));
    // Bytes that are no UTF-8 grow to three: what would not be shown must not count as taken.
    while (Buffer.byteLength(text) > maxBytes && end - start > 1) {
      const fitting = Math.floor(((end - start) * maxBytes) / Buffer.byteLength(text));
      const shorter = Math.max(Math.min(fitting, end - start - 1), 1);
      const cut = boundaryAt(kept, start, start + shorter);
      if (!isBoundary(kept, cut)) break;
      end = cut;
      text = decode(kept.subarray(start, end));
    }
    const taken = kept.subarray(start, end);
    const next = offset + taken.length;
    const nextOffset = next < this.#total ? next : null;
    return {
      text,
      totalBytes: this.#total,
      nextOffset,
      range: {
        offset,
        returned_bytes: taken.length,
        total_bytes: this.#total,
        next_offset: nextOffset,
        next_cursor: nextOffset === null ? null : `${nextOffset}.${sha256}`,
        sha256,
      },
    };
  }
}

/** A window's cursor: where to go on, in which text. Errors: `invalid_argument` (`bad_cursor`). */
export function parseWindowCursor(cursor: string): {
  readonly offset: number;
  readonly sha256: string;
} {
  const match = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(cursor);
  if (match === null) {
    throw new ToolError(
      'invalid_argument',
      'cursor is not one that this tool gave out; pass next_cursor of the window before, or leave it out.',
      { reason: 'bad_cursor' },
    );
  }
  return { offset: Number(match[1]), sha256: match[2] ?? '' };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** The last place up to `end` at which no character is cut; `end` itself where there is none behind `start`. */
function boundaryAt(bytes: Buffer, start: number, end: number): number {
  let at = end;
  while (at > start && at < bytes.length && !isBoundary(bytes, at)) at -= 1;
  return at > start ? at : end;
}

/** Whether a valid character is not cut at this place; bytes that are no UTF-8 can be cut anywhere. */
function isBoundary(bytes: Buffer, at: number): boolean {
  if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return true;
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes[at - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length <= back;
  }
  return true;
}

function badOffset(what: string, reason: string): ToolError {
  return new ToolError('invalid_argument', `${what}; use next_offset of the window before.`, {
    reason,
  });
}

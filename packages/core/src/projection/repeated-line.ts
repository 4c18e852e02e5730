/** Lines longer than this are never folded, so that a stream without line breaks costs no memory: 64 KiB. */
export const MAX_FOLDED_LINE_BYTES = 65_536;

/**
 * Tells whether the `length` bytes at `start` equal the `length` bytes before them and are short enough to fold.
 * Compares four bytes at a time: long runs are read once more by this.
 */
export function repeatsPreviousLine(view: DataView, start: number, length: number): boolean {
  if (length > MAX_FOLDED_LINE_BYTES) return false;
  let index = start;
  for (const end = start + length - 4; index <= end; index += 4) {
    if (view.getInt32(index) !== view.getInt32(index - length)) return false;
  }
  for (const end = start + length; index < end; index += 1) {
    if (view.getUint8(index) !== view.getUint8(index - length)) return false;
  }
  return true;
}

/** Tells whether at least `threshold` identical lines stand one after the other; a last line without an end is none. */
export function hasRepeatedLines(bytes: Uint8Array, threshold: number): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let start = 0;
  let length = 0;
  let count = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start) + 1;
    if (end === 0) return false;
    const isSame = end - start === length && repeatsPreviousLine(view, start, length);
    count = isSame ? count + 1 : 1;
    if (count >= threshold) return true;
    length = end - start;
    start = end;
  }
}

const LINE_FEED = 10;

/** Share of control bytes from which ill-formed text counts as binary. */
const CONTROL_SHARE = 0.02;

/**
 * Whether a sample of bytes (that is no UTF-16) is binary: it has a NUL, or it is no UTF-8 and rich in control bytes.
 * A literal U+FFFD, escape sequences and form feeds do not count against text.
 */
export function isBinarySample(sample: Uint8Array, wellFormedUtf8: boolean): boolean {
  if (sample.includes(0)) return true;
  if (wellFormedUtf8) return false;
  let controls = 0;
  for (const byte of sample) {
    if (byte < 0x20 && !isTextControl(byte)) controls += 1;
  }
  return controls > sample.length * CONTROL_SHARE;
}

/** BEL, BS, TAB, LF, VT, FF, CR, ESC: met in terminal logs and old text files. */
function isTextControl(byte: number): boolean {
  return (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b;
}

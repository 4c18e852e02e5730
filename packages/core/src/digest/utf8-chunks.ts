const UNITS_PER_CHUNK = 65_536;

/**
 * Encodes a text as UTF-8 in chunks of at most 192 KiB, so that a large text never exists twice in memory.
 * No chunk splits a character; a lone surrogate becomes U+FFFD. Each chunk is valid until the next one is asked for.
 */
export function* utf8Chunks(text: string): Generator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  if (text.length <= UNITS_PER_CHUNK) {
    if (text.length > 0) yield encoder.encode(text);
    return;
  }
  const buffer = new Uint8Array(3 * UNITS_PER_CHUNK);
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + UNITS_PER_CHUNK, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    const { written } = encoder.encodeInto(text.slice(start, end), buffer);
    yield buffer.subarray(0, written);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

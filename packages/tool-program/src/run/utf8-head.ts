const encoder = new TextEncoder();

/** The longest beginning of a text that has at most `maxBytes` in UTF-8; no character is split. */
export function utf8Head(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxBytes) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

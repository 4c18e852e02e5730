const HEX_DIGITS = '0123456789abcdef';

/** Writes bytes as lowercase hex, two digits a byte. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX_DIGITS.charAt(byte >> 4) + HEX_DIGITS.charAt(byte & 15);
  return text;
}

/** Tells whether a value is the bare hex of a SHA-256: 64 lowercase hex digits, without prefix. */
export function isSha256Hex(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

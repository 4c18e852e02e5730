const pageBytes = 65_536;
const memorySection = 5;
const headerBytes = 8;

/**
 * The same WebAssembly binary with a ceiling on its memory. The engine counts what scripts allocate, but not all that
 * it takes for itself on their behalf (the backtracking stack of regular expressions): this ceiling holds for both.
 * Errors: `TypeError` for a binary without exactly one memory of its own.
 *
 * Format: WebAssembly core specification, 5.5.8 (memory section) and 5.3.8 (limits).
 */
export function capMemory(binary: Uint8Array, maxBytes: number): Uint8Array<ArrayBuffer> {
  let at = headerBytes;
  while (at < binary.length) {
    const start = at;
    const id = binary[at];
    const size = readUnsigned(binary, at + 1);
    at = size.next + size.value;
    if (id !== memorySection) continue;
    const count = readUnsigned(binary, size.next);
    const initialPages = readUnsigned(binary, count.next + 1).value;
    if (count.value !== 1) break;
    const body = [
      1,
      1,
      ...toUnsigned(initialPages),
      ...toUnsigned(Math.ceil(maxBytes / pageBytes)),
    ];
    const section = [memorySection, ...toUnsigned(body.length), ...body];
    const capped = new Uint8Array(start + section.length + binary.length - at);
    capped.set(binary.subarray(0, start));
    capped.set(section, start);
    capped.set(binary.subarray(at), start + section.length);
    return capped;
  }
  throw new TypeError('The binary has no single memory that could be capped.');
}

/** LEB128, as the format uses it. */
function readUnsigned(bytes: Uint8Array, start: number): { value: number; next: number } {
  let value = 0;
  let at = start;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at] ?? 0;
    at += 1;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value: value >>> 0, next: at };
  }
}

function toUnsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

/** Bytes of JSON that a list in the metadata may have: the kernel keeps 64 KiB of metadata in all. */
const maxListBytes = 40_960;

/** The first entries of a list whose JSON fits into the metadata. */
export function takeWithin<T>(items: readonly T[]): {
  readonly items: readonly T[];
  readonly truncated: boolean;
} {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return bytes > maxListBytes;
  });
  return end < 0
    ? { items, truncated: false }
    : { items: items.slice(0, Math.max(end, 1)), truncated: true };
}

/** Bytes of a known size that are read by range: an open file, an artifact, or text extracted from a document. */
export interface ByteSource {
  /** Bytes. */
  readonly size: number;
  /** Bytes from `start`, at most `length`, short only at the end. */
  read(start: number, length: number): Promise<Uint8Array>;
}

/** A source over bytes in memory. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read: (start, length) => Promise.resolve(bytes.subarray(start, start + length)),
  };
}

/**
 * A source that reads at least so many bytes at a time and answers from the last block where it can: finding a line and
 * taking a window from there are one read then.
 */
export function readAhead(source: ByteSource, blockBytes: number): ByteSource {
  let block: { readonly start: number; readonly bytes: Uint8Array } | undefined;
  return {
    size: source.size,
    read: async (start, length) => {
      const end = Math.min(start + length, source.size);
      const isThere =
        block !== undefined && block.start <= start && end <= block.start + block.bytes.length;
      if (block === undefined || !isThere) {
        block = { start, bytes: await source.read(start, Math.max(length, blockBytes)) };
      }
      const from = start - block.start;
      return block.bytes.subarray(from, from + length);
    },
  };
}

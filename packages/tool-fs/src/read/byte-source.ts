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

/**
 * Named bytes that outlive a session: pending approvals, the undo journal, program logs. Keys are
 * `[a-z0-9-]+` segments joined by `/`. Writes are atomic and durable.
 */
export interface StateStore {
  read(key: string): Promise<Uint8Array | undefined>;
  write(key: string, bytes: Uint8Array): Promise<void>;
  /** Adds bytes at the end, durable when it returns; creates the key. */
  append(key: string, bytes: Uint8Array): Promise<void>;
  delete(key: string): Promise<void>;
  /** Keys that begin with `prefix`, sorted. */
  list(prefix: string): Promise<readonly string[]>;
}

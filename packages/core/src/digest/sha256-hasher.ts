/** A running SHA-256: feed it bytes in order, then ask once for the digest. */
export interface Sha256Hasher {
  /** Takes the next bytes; they may be reused by the caller afterwards. */
  update(bytes: Uint8Array): void;
  /** Ends the hash and returns it as 64 lowercase hex digits; call it once. */
  digestHex(): string;
}

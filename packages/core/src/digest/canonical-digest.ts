import { isSha256Hex } from './hex.ts';
import { sha256Hex } from './sha256.ts';

/** A SHA-256 with its algorithm named: `sha256:` and 64 lowercase hex digits. */
export type Digest = `sha256:${string}`;

/** Writes bare hex as a digest. */
export function toDigest(hex: string): Digest {
  return `sha256:${hex}`;
}

/** Tells whether a value is a digest in exactly the canonical spelling. */
export function isDigest(value: unknown): value is Digest {
  return (
    typeof value === 'string' &&
    value.startsWith('sha256:') &&
    isSha256Hex(value.slice('sha256:'.length))
  );
}

/**
 * The domain-separated digest of a record, as A3S v1 defines it: `sha256:` + hex(SHA-256(domain ‖ 0x00 ‖ compact JSON)).
 * The keys are written in the order in which the object has them, so the caller builds it in the declared order.
 */
export function canonicalDigest(domain: string, record: object): Digest {
  return toDigest(sha256Hex(`${domain}\u0000${JSON.stringify(record)}`));
}

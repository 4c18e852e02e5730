/** A file format recognised by its first bytes. */
export interface MediaType {
  /** `image/png`, `application/pdf`, … */
  readonly type: string;
  readonly kind: 'image' | 'pdf' | 'other';
}

interface Signature extends MediaType {
  readonly at: number;
  readonly bytes: string;
}

/** Bytes that `sniffMediaType` needs at most. */
export const SIGNATURE_BYTES = 512;

const SIGNATURES: readonly Signature[] = [
  { at: 0, bytes: '\x89PNG\r\n\x1a\n', type: 'image/png', kind: 'image' },
  { at: 0, bytes: '\xff\xd8\xff', type: 'image/jpeg', kind: 'image' },
  { at: 0, bytes: 'GIF87a', type: 'image/gif', kind: 'image' },
  { at: 0, bytes: 'GIF89a', type: 'image/gif', kind: 'image' },
  { at: 8, bytes: 'WEBPVP8', type: 'image/webp', kind: 'image' },
  { at: 0, bytes: '\x1f\x8b', type: 'application/gzip', kind: 'other' },
  { at: 0, bytes: 'PK\x03\x04', type: 'application/zip', kind: 'other' },
  { at: 0, bytes: 'PK\x05\x06', type: 'application/zip', kind: 'other' },
  { at: 0, bytes: '7z\xbc\xaf\x27\x1c', type: 'application/x-7z-compressed', kind: 'other' },
  { at: 0, bytes: '\xfd7zXZ\x00', type: 'application/x-xz', kind: 'other' },
  { at: 0, bytes: 'BZh', type: 'application/x-bzip2', kind: 'other' },
  { at: 0, bytes: '\x28\xb5\x2f\xfd', type: 'application/zstd', kind: 'other' },
  { at: 257, bytes: 'ustar', type: 'application/x-tar', kind: 'other' },
  { at: 0, bytes: '\x7fELF', type: 'application/x-elf', kind: 'other' },
  { at: 0, bytes: '\xcf\xfa\xed\xfe', type: 'application/x-mach-binary', kind: 'other' },
  { at: 0, bytes: '\xca\xfe\xba\xbe', type: 'application/java-vm', kind: 'other' },
  { at: 0, bytes: '\x00asm', type: 'application/wasm', kind: 'other' },
  { at: 0, bytes: 'SQLite format 3\x00', type: 'application/vnd.sqlite3', kind: 'other' },
  { at: 0, bytes: 'wOFF', type: 'font/woff', kind: 'other' },
  { at: 0, bytes: 'wOF2', type: 'font/woff2', kind: 'other' },
  { at: 4, bytes: 'ftyp', type: 'video/mp4', kind: 'other' },
  { at: 0, bytes: 'OggS', type: 'application/ogg', kind: 'other' },
];

/** The header that a PDF starts with (ISO 32000-1, 7.5.2). */
const PDF_HEADER = '%PDF-';

/**
 * Recognises images, PDF and common binary formats by their signature, never by name; `undefined` for anything else,
 * text above all. Give it the first `SIGNATURE_BYTES` or more.
 */
export function sniffMediaType(head: Uint8Array): MediaType | undefined {
  const text = Buffer.from(head.subarray(0, SIGNATURE_BYTES)).toString('latin1');
  if (text.startsWith(PDF_HEADER)) return { type: 'application/pdf', kind: 'pdf' };
  const found = SIGNATURES.find(({ at, bytes }) => text.startsWith(bytes, at));
  return found && { type: found.type, kind: found.kind };
}

import { createSha256, sha256Hex, ToolError } from '@toolwright/core';
import { EncodingSampler } from '@toolwright/documents';
import type { DetectedEncoding } from '@toolwright/documents';
import type { ByteSource } from './byte-source.ts';
import { LineIndexBuilder } from './line-index.ts';
import type { LineIndex } from './line-index.ts';

/** What one pass over a text tells. */
export interface TextScan {
  /** Of all bytes: 64 lowercase hex digits. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly detected: DetectedEncoding;
  readonly index: LineIndex;
  /** Lines, a last one without a newline included; 0 for an empty file. */
  readonly totalLines: number;
}

/** Bytes that are read at a time; a text up to this size is read once. */
export const SCAN_CHUNK_BYTES = 4_194_304;

/** A scan, and the bytes themselves when they came in one chunk. */
export interface ScannedText {
  readonly scan: TextScan;
  readonly whole: Uint8Array | undefined;
}

/**
 * Reads a text once from start to end, in bounded memory: digest, encoding, line endings and line index together.
 *
 * @throws {DocumentError} `binary` (told from the first chunk), `unsupported_encoding`.
 */
export async function scanText(source: ByteSource, signal?: AbortSignal): Promise<ScannedText> {
  const sampler = new EncodingSampler();
  const first = asBuffer(await source.read(0, SCAN_CHUNK_BYTES));
  sampler.push(first);
  const wide = sampler.wideEncoding();
  const lines = new LineIndexBuilder(wide);
  lines.push(first);
  let sha256: string;
  let read = first.length;
  if (source.size <= SCAN_CHUNK_BYTES) {
    sha256 = sha256Hex(first);
  } else {
    const hash = createSha256();
    hash.update(first);
    while (read < source.size) {
      signal?.throwIfAborted();
      const chunk = asBuffer(await source.read(read, SCAN_CHUNK_BYTES));
      if (chunk.length === 0) break;
      hash.update(chunk);
      sampler.push(chunk);
      lines.push(chunk);
      read += chunk.length;
    }
    sha256 = hash.digestHex();
  }
  if (read !== source.size) throw changedWhileReading();
  const detected = await sampler.detect();
  const index = lines.finish();
  const lastLine = source.size > detected.bomLength && !index.finalNewline ? 1 : 0;
  return {
    scan: { sha256, size: source.size, detected, index, totalLines: index.lf + lastLine },
    whole: source.size <= SCAN_CHUNK_BYTES ? first : undefined,
  };
}

function changedWhileReading(): ToolError {
  return new ToolError('version_conflict', 'The file changed while it was read; read it again.', {
    reason: 'changed_while_reading',
    retryable: true,
  });
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

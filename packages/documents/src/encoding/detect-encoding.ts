import { EncodingSampler } from './encoding-sampler.ts';
import type { DetectedEncoding } from './encoding-sampler.ts';

/**
 * Detects the encoding of a whole buffer; see `EncodingSampler` for the order of evidence and for streams.
 *
 * @throws {DocumentError} `binary`, `unsupported_encoding`.
 */
export async function detectEncoding(bytes: Uint8Array): Promise<DetectedEncoding> {
  const sampler = new EncodingSampler();
  sampler.push(bytes);
  return sampler.detect();
}

import { loadCodec } from '../encoding/codec.ts';
import { detectEncoding } from '../encoding/detect-encoding.ts';
import type { DetectedEncoding } from '../encoding/encoding-sampler.ts';
import type { Encoding } from '../encoding/encodings.ts';
import { byteOffsetOf } from './byte-offsets.ts';
import type { DecodedText, TextPlace } from './byte-offsets.ts';
import { countLineEndings, lineEndingsOf } from './line-endings.ts';
import type { LineEndings } from './line-endings.ts';

/** A replacement of a part of a text: UTF-16 offsets into `TextDocument.text`, end exclusive. */
export interface TextSplice {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/**
 * Text together with the bytes it came from, so that a part of it can be replaced while every other byte stays: mark,
 * encoding, line endings, ill-formed sequences.
 */
export interface TextDocument {
  readonly bytes: Uint8Array;
  /** The decoded text, without the byte order mark; what is ill-formed shows as U+FFFD. */
  readonly text: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
  readonly lineEndings: LineEndings;
  /** Whether some bytes are ill-formed. */
  readonly lossy: boolean;
  /**
   * The document's bytes with parts replaced; splices are sorted by start and disjoint. Bytes outside of them are
   * copied as they are.
   *
   * @throws {DocumentError} `unencodable` when a replacement has a character that the encoding lacks; `malformed`
   * when a border of a splice lies among ill-formed bytes of a legacy encoding.
   */
  splice(splices: readonly TextSplice[]): Uint8Array;
}

/**
 * Decodes a whole file. The bytes are kept, not copied: the caller leaves them unchanged.
 *
 * @param detected What `detectEncoding` said of the same bytes, where it is known already.
 * @throws {DocumentError} `binary`, `unsupported_encoding`.
 */
export async function decodeDocument(
  bytes: Uint8Array,
  detected?: DetectedEncoding,
): Promise<TextDocument> {
  const { encoding, bomLength, lossy } = detected ?? (await detectEncoding(bytes));
  const codec = await loadCodec(encoding);
  const text = codec.decode(bytes.subarray(bomLength));
  const decoded: DecodedText = {
    bytes,
    bomLength,
    text,
    codec,
    lossy: lossy || (encoding !== 'utf-8' && text.includes('\ufffd')),
  };
  return {
    bytes,
    text,
    encoding,
    bom: bomLength > 0,
    lossy: decoded.lossy,
    get lineEndings() {
      return lineEndingsOf(countLineEndings(text));
    },
    splice: (splices) => spliceBytes(decoded, splices),
  };
}

function spliceBytes(decoded: DecodedText, splices: readonly TextSplice[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let place: TextPlace = { text: 0, byte: decoded.bomLength };
  let copied = 0;
  for (const { start, end, replacement } of splices) {
    if (start < place.text || end < start) throw new TypeError('Splices overlap or are unsorted.');
    const from = byteOffsetOf(decoded, start, place);
    const to = byteOffsetOf(decoded, end, { text: start, byte: from });
    parts.push(decoded.bytes.subarray(copied, from), decoded.codec.encode(replacement));
    place = { text: end, byte: to };
    copied = to;
  }
  parts.push(decoded.bytes.subarray(copied));
  return Buffer.concat(parts);
}

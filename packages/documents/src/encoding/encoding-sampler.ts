import { declaredEncoding } from './declared-encoding.ts';
import { readByteOrderMark } from './byte-order-mark.ts';
import type { ByteOrderMark } from './byte-order-mark.ts';
import { loadCodec } from './codec.ts';
import { isUtf16 } from './encodings.ts';
import type { Encoding } from './encodings.ts';
import { guessLegacyEncoding } from './guess-legacy-encoding.ts';
import { countUtf8, incompleteUtf8Tail, isAsciiBytes, isUtf8Bytes } from './utf8-scan.ts';
import { isBinarySample } from '../binary/is-binary-sample.ts';
import { utf16WithoutMark } from './utf16-without-mark.ts';
import { DocumentError } from '../document-error.ts';

/** Bytes that are looked at for binary content, UTF-16 without a mark, and statistics. */
export const SAMPLE_BYTES = 65_536;

/** Bytes of ill-formed text that are counted sequence by sequence before the verdict is clear, whatever follows. */
const COUNTED_BYTES = 1_048_576;

/** What the encoding of some bytes is, and on what evidence. */
export interface DetectedEncoding {
  readonly encoding: Encoding;
  /** Length of the byte order mark in bytes, 0 without one. */
  readonly bomLength: number;
  readonly source: 'bom' | 'utf-8' | 'pattern' | 'declaration' | 'statistics' | 'fallback';
  /** Bytes are met that the encoding cannot decode; they show as U+FFFD. */
  readonly lossy: boolean;
}

/**
 * Detects the encoding of bytes that arrive in chunks, in bounded memory.
 *
 * Order of evidence: byte order mark, NUL patterns of UTF-16, well-formed UTF-8, the text's own declaration, statistics.
 * A few ill-formed bytes in otherwise ASCII or UTF-8 text are no proof of a legacy encoding: the text stays UTF-8 and
 * is `lossy`.
 */
export class EncodingSampler {
  /** The first bytes. */
  #head: Uint8Array = new Uint8Array();
  /** Bytes from the first line that is not ASCII on, when it lies beyond the head. */
  #evidence: Uint8Array | undefined;
  /** Start of a sequence that the next chunk may complete. */
  #carry: Uint8Array = new Uint8Array();
  #multiByte = 0;
  #malformed = 0;
  #highBytes = 0;
  #counted = 0;

  /** Takes the next chunk in order. */
  push(chunk: Uint8Array): void {
    const ascii = isAsciiBytes(chunk);
    if (this.#head.length < SAMPLE_BYTES) {
      this.#head = grown(this.#head, chunk);
    } else if (this.#evidence !== undefined) {
      this.#evidence = grown(this.#evidence, chunk);
    } else if (!ascii && this.#highBytes === 0) {
      this.#evidence = grown(new Uint8Array(), fromFirstHighLine(chunk));
    }
    if (ascii && this.#carry.length === 0) return;
    const joined = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    const tail = incompleteUtf8Tail(joined);
    this.#carry = new Uint8Array(joined.subarray(joined.length - tail));
    this.#count(joined.subarray(0, joined.length - tail));
  }

  /**
   * What the first bytes alone decide, for callers that must know before the end: UTF-16, or `undefined` for encodings
   * in which LF is the byte 0x0A. Ask after the first chunk, which should hold `SAMPLE_BYTES` or the whole.
   *
   * @throws {DocumentError} `binary`, `unsupported_encoding`.
   */
  wideEncoding(): 'utf-16le' | 'utf-16be' | undefined {
    const bom = readByteOrderMark(this.#head);
    if (bom !== undefined) return isUtf16(bom.encoding) ? bom.encoding : undefined;
    const utf16 = utf16WithoutMark(this.#head);
    if (utf16 === undefined && this.#head.includes(0)) throw binaryError();
    return utf16;
  }

  /**
   * The verdict over everything pushed; nothing may be pushed after it.
   *
   * @throws {DocumentError} `binary`, `unsupported_encoding`.
   */
  async detect(): Promise<DetectedEncoding> {
    this.#count(this.#carry);
    this.#carry = new Uint8Array();
    const bom = readByteOrderMark(this.#head);
    if (bom !== undefined) {
      const lossy = bom.encoding === 'utf-8' ? this.#malformed > 0 : await isLossy(bom, this.#head);
      return { encoding: bom.encoding, bomLength: bom.length, source: 'bom', lossy };
    }
    const utf16 = utf16WithoutMark(this.#head);
    if (utf16 !== undefined) {
      return { encoding: utf16, bomLength: 0, source: 'pattern', lossy: false };
    }
    if (isBinarySample(this.#head, this.#malformed === 0)) {
      throw binaryError();
    }
    return this.#withoutMark();
  }

  async #withoutMark(): Promise<DetectedEncoding> {
    const declared = declaredEncoding(this.#head);
    if (this.#highBytes === 0) {
      return { encoding: declared ?? 'utf-8', bomLength: 0, source: 'utf-8', lossy: false };
    }
    if (this.#malformed === 0) {
      return { encoding: 'utf-8', bomLength: 0, source: 'utf-8', lossy: false };
    }
    const sample = this.#evidence ?? this.#head;
    if (declared !== undefined && declared !== 'utf-8') {
      const codec = await loadCodec(declared);
      if (
        !codec
          .decode(sample)
          .replace(/\ufffd{1,2}$/u, '')
          .includes('\ufffd')
      ) {
        return { encoding: declared, bomLength: 0, source: 'declaration', lossy: false };
      }
    }
    const mostlyUtf8 = this.#multiByte >= 2 * this.#malformed;
    if (!mostlyUtf8 && this.#highBytes > 1) {
      const guess = await guessLegacyEncoding(sample);
      if (guess !== undefined) {
        return { encoding: guess.encoding, bomLength: 0, source: 'statistics', lossy: false };
      }
    }
    return { encoding: 'utf-8', bomLength: 0, source: 'fallback', lossy: true };
  }

  #count(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#counted >= COUNTED_BYTES || isAsciiBytes(bytes)) return;
    if (isUtf8Bytes(bytes)) {
      // Well-formed: that there is something beyond ASCII is all that later questions need.
      this.#multiByte += 1;
      this.#highBytes += 2;
      return;
    }
    const window = bytes.subarray(0, COUNTED_BYTES - this.#counted);
    const counts = countUtf8(window);
    this.#counted += window.length;
    this.#multiByte += counts.multiByte;
    this.#malformed += counts.malformed;
    this.#highBytes += counts.highBytes;
  }
}

function binaryError(): DocumentError {
  return new DocumentError('binary', 'The file is binary, not text.');
}

function grown(sample: Uint8Array, chunk: Uint8Array): Uint8Array {
  const room = SAMPLE_BYTES - sample.length;
  return room <= 0 ? sample : Buffer.concat([sample, chunk.subarray(0, room)]);
}

function fromFirstHighLine(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  return bytes.subarray(bytes.lastIndexOf(0x0a, first) + 1);
}

async function isLossy(bom: ByteOrderMark, head: Uint8Array): Promise<boolean> {
  const codec = await loadCodec(bom.encoding);
  const even = head.length - ((head.length - bom.length) % 2);
  return codec.decode(head.subarray(bom.length, even)).includes('\ufffd');
}

import { detectEncoding, isBinarySample, loadCodec, toEncoding } from '@toolwright/documents';
import type { Encoding } from '@toolwright/documents';
import { charsetParameter, metaCharset } from '../html/meta-charset.ts';

/** Text and the encoding it was in, by its WHATWG name. */
export interface DecodedPage {
  readonly text: string;
  readonly charset: string;
}

/** Bytes looked at for binary content. */
const SAMPLE_BYTES = 65_536;

/**
 * Decodes the body of a text response. Order of evidence (HTML standard): byte order mark, the header's `charset`, the page's own
 * declaration (HTML only), and last what the bytes look like. Errors: `DocumentError` (`binary`, `unsupported_encoding`).
 */
export async function decodeText(
  bytes: Uint8Array,
  source: { readonly contentType: string; readonly isHtml: boolean },
): Promise<DecodedPage> {
  const detected = await detectUnlessDeclared(bytes, source);
  const codec = await loadCodec(detected.encoding);
  return { text: codec.decode(bytes.subarray(detected.bomLength)), charset: detected.encoding };
}

async function detectUnlessDeclared(
  bytes: Uint8Array,
  { contentType, isHtml }: { readonly contentType: string; readonly isHtml: boolean },
): Promise<{ readonly encoding: Encoding; readonly bomLength: number }> {
  const hasMark =
    startsWith(bytes, [0xef, 0xbb, 0xbf]) ||
    startsWith(bytes, [0xff, 0xfe]) ||
    startsWith(bytes, [0xfe, 0xff]);
  const declared = hasMark ? undefined : declaredEncoding(bytes, contentType, isHtml);
  const isWide = declared === 'utf-16le' || declared === 'utf-16be';
  if (
    declared === undefined ||
    (!isWide && isBinarySample(bytes.subarray(0, SAMPLE_BYTES), true))
  ) {
    return detectEncoding(bytes);
  }
  return { encoding: declared, bomLength: 0 };
}

function declaredEncoding(
  bytes: Uint8Array,
  contentType: string,
  isHtml: boolean,
): Encoding | undefined {
  const header = toEncoding(charsetParameter(contentType) ?? '');
  if (header !== undefined || !isHtml) {
    return header;
  }
  const meta = toEncoding(metaCharset(bytes) ?? '');
  // A page whose declaration could be read byte by byte is not in two-byte units, whatever it says.
  return meta === 'utf-16le' || meta === 'utf-16be' ? 'utf-8' : meta;
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

// The public surface: every name here is API.
export { DocumentError, isDocumentError, type DocumentErrorCode } from './document-error.ts';
export { isBinarySample } from './binary/is-binary-sample.ts';
export { sniffMediaType, SIGNATURE_BYTES, type MediaType } from './binary/media-type.ts';
export { byteOrderMarkOf } from './encoding/byte-order-mark.ts';
export { loadCodec, type Codec } from './encoding/codec.ts';
export { detectEncoding } from './encoding/detect-encoding.ts';
export {
  EncodingSampler,
  SAMPLE_BYTES,
  type DetectedEncoding,
} from './encoding/encoding-sampler.ts';
export { ENCODINGS, isEncoding, isUtf16, toEncoding, type Encoding } from './encoding/encodings.ts';
export { readImageInfo, type ImageInfo } from './formats/image-info.ts';
export {
  DEFAULT_CELL_OUTPUT_BYTES,
  notebookToText,
  type NotebookOptions,
} from './formats/notebook.ts';
export {
  DEFAULT_PDF_PAGES,
  MAX_PDF_BYTES,
  pdfToText,
  type PdfOptions,
  type PdfText,
} from './formats/pdf-text.ts';
export { byteOffsetOf, type DecodedText, type TextPlace } from './text/byte-offsets.ts';
export {
  countLineEndings,
  lineEndingsOf,
  splitLines,
  type LineEndingCounts,
  type LineEndings,
} from './text/line-endings.ts';
export { decodeDocument, type TextDocument, type TextSplice } from './text/text-document.ts';

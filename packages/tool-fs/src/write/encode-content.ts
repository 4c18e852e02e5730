import { byteOrderMarkOf, decodeDocument, isDocumentError, loadCodec } from '@toolwright/documents';
import type { Encoding, LineEndings } from '@toolwright/documents';

/** New content in the encoding of the file that it replaces. */
export interface EncodedContent {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  /** What the file held, if that was text. */
  readonly before: { readonly text: string; readonly lineEndings: LineEndings } | undefined;
}

/**
 * Encodes text for a file: in the encoding of what is there, its byte order mark kept; UTF-8 for a new file and for one
 * that is no text. Line endings and the final newline are written as given.
 *
 * @throws {DocumentError} `unencodable`.
 */
export async function encodeContent(
  text: string,
  replaced: Uint8Array | undefined,
): Promise<EncodedContent> {
  const document = replaced === undefined ? undefined : await decodeIfText(replaced);
  const encoding = document?.encoding ?? 'utf-8';
  const codec = await loadCodec(encoding);
  // A mark that the caller wrote out stands for the file's own.
  const hasMark = document?.bom === true;
  const body = codec.encode(hasMark && text.startsWith('\ufeff') ? text.slice(1) : text);
  return {
    bytes: hasMark ? Buffer.concat([byteOrderMarkOf(encoding), body]) : body,
    encoding,
    before: document && { text: document.text, lineEndings: document.lineEndings },
  };
}

async function decodeIfText(bytes: Uint8Array) {
  try {
    return await decodeDocument(bytes);
  } catch (error) {
    if (isDocumentError(error)) return undefined;
    throw error;
  }
}

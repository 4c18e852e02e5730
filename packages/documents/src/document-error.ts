/**
 * What went wrong with a document, as a stable word.
 *
 * - `binary`: the bytes are no text (an archive, an executable, …);
 * - `unsupported_encoding`: text in an encoding that cannot be read (UTF-32);
 * - `unencodable`: a character does not exist in the target encoding, or the text is no valid Unicode;
 * - `malformed`: the bytes claim a format (PDF, notebook, image) and break its rules;
 * - `encrypted`: a PDF that needs a password;
 * - `too_large`: over the bound that the caller or the default sets.
 */
export type DocumentErrorCode =
  | 'binary'
  | 'unsupported_encoding'
  | 'unencodable'
  | 'malformed'
  | 'encrypted'
  | 'too_large';

/** The one error that this package throws for documents it cannot serve; `code` says why. */
export class DocumentError extends Error {
  readonly code: DocumentErrorCode;

  constructor(code: DocumentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DocumentError';
    this.code = code;
  }
}

/** Narrows an unknown error to a `DocumentError`, also across two installed copies of this package. */
export function isDocumentError(error: unknown): error is DocumentError {
  return error instanceof Error && error.name === 'DocumentError' && 'code' in error;
}

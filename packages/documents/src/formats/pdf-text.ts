import { DocumentError, isDocumentError } from '../document-error.ts';

/** Default for `PdfOptions.maxPages`. */
export const DEFAULT_PDF_PAGES = 500;

/** Largest PDF that is parsed, in bytes: the parser keeps the file and what it decodes of it in memory. */
export const MAX_PDF_BYTES = 67_108_864;

/** How a PDF is read. */
export interface PdfOptions {
  /** Pages whose text is taken; the mark of the last one says how many were left. Default 500. */
  readonly maxPages?: number;
  /** Stops between two pages; the abort reason is thrown. */
  readonly signal?: AbortSignal;
}

/** The text of a PDF. */
export interface PdfText {
  readonly text: string;
  readonly pages: number;
  /** Less than `pages` when `maxPages` cut. */
  readonly readPages: number;
}

/**
 * Text of a PDF, each page under a mark `--- page N of M ---`. Pages without text (scans) say so. Lines are those that
 * the parser sees; columns and tables come in the order in which the file draws them.
 *
 * @throws {DocumentError} `malformed`, `encrypted`, `too_large` (over 64 MiB).
 */
export async function pdfToText(bytes: Uint8Array, options: PdfOptions = {}): Promise<PdfText> {
  const { maxPages = DEFAULT_PDF_PAGES, signal } = options;
  if (bytes.length > MAX_PDF_BYTES) {
    throw new DocumentError('too_large', `A PDF over ${MAX_PDF_BYTES} bytes is not parsed.`);
  }
  const { getDocumentProxy } = await import('unpdf');
  signal?.throwIfAborted();
  try {
    // The parser takes the buffer over: it gets a copy, and no Buffer, which it refuses.
    const pdf = await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      isEvalSupported: false,
    });
    try {
      const readPages = Math.min(pdf.numPages, maxPages);
      const parts: string[] = [];
      for (let number = 1; number <= readPages; number += 1) {
        signal?.throwIfAborted();
        const page = await pdf.getPage(number);
        const text = linesOf((await page.getTextContent()).items);
        parts.push(
          `--- page ${number} of ${pdf.numPages} ---\n${text || '[no text on this page]'}`,
        );
        page.cleanup();
      }
      return { text: `${parts.join('\n\n')}\n`, pages: pdf.numPages, readPages };
    } finally {
      await pdf.destroy();
    }
  } catch (cause) {
    if (signal?.aborted === true || isDocumentError(cause)) throw cause;
    const name = cause instanceof Error ? cause.name : '';
    throw name === 'PasswordException'
      ? new DocumentError('encrypted', 'The PDF is encrypted and needs a password.', { cause })
      : new DocumentError('malformed', 'The PDF is damaged and cannot be parsed.', { cause });
  }
}

/** A run of glyphs, or a mark of the document's structure. */
type TextItem = { readonly str: string; readonly hasEOL: boolean } | { readonly type: string };

function linesOf(items: readonly TextItem[]): string {
  return items
    .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
    .join('')
    .replaceAll(/[ \t]+$/gm, '')
    .trimEnd();
}

import { isDocumentError, pdfToText, readImageInfo, sniffMediaType } from '@toolwright/documents';
import { ToolError } from '@toolwright/core';
import type { HttpResponse } from '@toolwright/core';
import { decodeText } from './decode-text.ts';

/** What a response turned out to be, whatever it was called. */
export type PageBody =
  | { readonly kind: 'html' | 'json' | 'text'; readonly text: string; readonly charset: string }
  | {
      readonly kind: 'pdf';
      readonly text: string;
      readonly pages: number;
      readonly readPages: number;
    }
  | {
      readonly kind: 'image';
      readonly bytes: Uint8Array;
      readonly mediaType: string;
      readonly width: number;
      readonly height: number;
    };

/**
 * Reads a body to its end and says what it is: by signature first, by media type where the bytes are text. Errors: `unsupported` with
 * `binary` or a reason of `documents` for what cannot be shown as text, naming type and size; those of the transport.
 */
export async function readBody(response: HttpResponse, contentType: string): Promise<PageBody> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) {
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const mediaType = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  try {
    return await classify(bytes, mediaType, contentType);
  } catch (error) {
    throw isDocumentError(error) ? unreadable(error, bytes, mediaType) : error;
  }
}

async function classify(
  bytes: Uint8Array,
  mediaType: string,
  contentType: string,
): Promise<PageBody> {
  const sniffed = sniffMediaType(bytes);
  if (sniffed?.kind === 'pdf') {
    const { text, pages, readPages } = await pdfToText(bytes);
    return { kind: 'pdf', text, pages, readPages };
  }
  if (sniffed?.kind === 'image') {
    const image = await readImageInfo(bytes);
    return {
      kind: 'image',
      bytes,
      mediaType: sniffed.type,
      width: image?.width ?? 0,
      height: image?.height ?? 0,
    };
  }
  const isNoText = /^(?:image|audio|video|font)\//u.test(mediaType) && !mediaType.endsWith('+xml');
  if (sniffed !== undefined || isNoText) {
    throw binary(sniffed?.type ?? mediaType, bytes.length);
  }
  const kind = textKind(mediaType, bytes);
  const { text, charset } = await decodeText(bytes, { contentType, isHtml: kind === 'html' });
  return { kind, text, charset };
}

function textKind(mediaType: string, bytes: Uint8Array): 'html' | 'json' | 'text' {
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') {
    return 'html';
  }
  if (
    mediaType === 'application/json' ||
    mediaType === 'text/json' ||
    mediaType.endsWith('+json')
  ) {
    return 'json';
  }
  const isUntyped = mediaType === '' || mediaType === 'application/octet-stream';
  const head = Buffer.from(bytes.subarray(0, 512)).toString('latin1');
  return isUntyped && /^\s*<(?:!doctype html|html[\s>])/iu.test(head) ? 'html' : 'text';
}

function unreadable(
  error: Error & { readonly code: string },
  bytes: Uint8Array,
  mediaType: string,
): ToolError {
  const type = sniffMediaType(bytes)?.type ?? (mediaType === '' ? 'unknown type' : mediaType);
  return error.code === 'binary'
    ? binary(type, bytes.length)
    : new ToolError(
        'unsupported',
        `${error.message} (${type}, ${String(bytes.length)} bytes). ${USE_DOWNLOAD}`,
        {
          reason: error.code,
          cause: error,
        },
      );
}

const USE_DOWNLOAD = 'To keep it as a file, use the download tool.';

function binary(type: string, size: number): ToolError {
  return new ToolError(
    'unsupported',
    `The URL leads to binary data (${type}, ${String(size)} bytes), which cannot be shown as text. ${USE_DOWNLOAD}`,
    { reason: 'binary', fields: { media_type: type, bytes: size } },
  );
}

import type { HttpResponse } from '@toolwright/core';
import { declaredLength, parseContentRange, unsatisfiedTotal } from './content-range.ts';
import { statusError, tooLarge } from './failures.ts';
import { withRetries } from './retry.ts';
import { sendRange } from './transfer-context.ts';
import type { TransferContext } from './transfer-context.ts';
import { strongValidator } from './validator.ts';

/** What is known of a remote file before its bytes come. */
export interface RemoteFile {
  /** The URL that answered; parts are asked from it. */
  readonly url: string;
  /** Anchors of the URLs passed on the way. */
  readonly redirects: readonly string[];
  readonly contentType: string | undefined;
  readonly contentDisposition: string | undefined;
  /** The coding in which the bytes come although none was asked for; stored as they come. */
  readonly contentEncoding: string | undefined;
  /** Bytes; `undefined` when the server does not say. */
  readonly total: number | undefined;
  /** For `If-Range`; `undefined` when parts of two answers must not be put together. */
  readonly validator: string | undefined;
  /** Whether the server has shown that it answers ranges. */
  readonly hasRanges: boolean;
  /** A whole response that is already under way, to be read or cancelled. */
  readonly whole: HttpResponse | undefined;
}

/**
 * Asks for the first byte, which tells of size, validator and ranges at once. A server that ignores ranges answers with the whole
 * file, which is then used; one that refuses or muddles them is asked again without.
 *
 * Errors: by status; `limit_exceeded` when the declared size is over the cap; transport failures after three attempts.
 */
export async function probe(context: TransferContext, url: string): Promise<RemoteFile> {
  return withRetries(context, async () => {
    const response = await sendRange(context, { url, range: { position: 0, end: 0 } });
    const ranged = await readProbe(response, context);
    if (ranged !== undefined) {
      return ranged;
    }
    return toWhole(await sendRange(context, { url }), context);
  });
}

/** `undefined` means: ask again without a range. */
async function readProbe(
  response: HttpResponse,
  context: TransferContext,
): Promise<RemoteFile | undefined> {
  switch (response.status) {
    case 200:
      return toWhole(response, context);
    case 206:
      return readFirstByte(response, context);
    case 416: {
      await response.cancel();
      const isEmpty = unsatisfiedTotal(response.headers['content-range']) === 0;
      return isEmpty
        ? describe(response, { total: 0, hasRanges: true, whole: undefined })
        : undefined;
    }
    case 400:
    case 403:
    case 405:
    case 501:
      await response.cancel();
      return undefined;
    default:
      await response.cancel();
      throw statusError(response, context.now());
  }
}

async function readFirstByte(
  response: HttpResponse,
  context: TransferContext,
): Promise<RemoteFile | undefined> {
  const range = parseContentRange(response.headers['content-range']);
  const isUsable =
    range?.start === 0 &&
    range.end === 0 &&
    range.total !== undefined &&
    response.headers['content-encoding'] === undefined &&
    (declaredLength(response.headers) ?? 1) === 1;
  if (!isUsable || (await countBytes(response, 1)) !== 1) {
    await response.cancel();
    return undefined;
  }
  const file = describe(response, { total: range.total, hasRanges: true, whole: undefined });
  checkSize(file, context.maxBytes);
  return file;
}

/** Counts a body up to one byte more than expected. */
async function countBytes(response: HttpResponse, expected: number): Promise<number> {
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > expected) {
      break;
    }
  }
  return bytes;
}

async function toWhole(response: HttpResponse, context: TransferContext): Promise<RemoteFile> {
  if (response.status !== 200) {
    await response.cancel();
    throw statusError(response, context.now());
  }
  const file = describe(response, {
    total: declaredLength(response.headers),
    hasRanges: false,
    whole: response,
  });
  try {
    checkSize(file, context.maxBytes);
  } catch (error) {
    await response.cancel();
    throw error;
  }
  return file;
}

/**
 * What a whole response is of, when the file was probed before: a version that names itself as another one is as long as it says, any
 * other answer must be as long as the probed file.
 */
export function describeWhole(response: HttpResponse, probed: RemoteFile): RemoteFile {
  const declared = declaredLength(response.headers);
  const seen = describe(response, { total: declared, hasRanges: false, whole: undefined });
  const isOther =
    seen.contentEncoding !== probed.contentEncoding ||
    (seen.validator !== undefined && seen.validator !== probed.validator);
  const total = isOther ? declared : (probed.total ?? declared);
  return { ...seen, hasRanges: probed.hasRanges, total };
}

function checkSize({ total }: RemoteFile, maxBytes: number): void {
  if (total !== undefined && total > maxBytes) {
    throw tooLarge(maxBytes);
  }
}

function describe(
  response: HttpResponse,
  known: Pick<RemoteFile, 'total' | 'hasRanges' | 'whole'>,
): RemoteFile {
  const { url, redirects, headers } = response;
  // A coding belongs to the bytes of one answer: offsets into it mean nothing for another.
  const coding = headers['content-encoding'] ?? 'identity';
  const contentEncoding = coding === 'identity' ? undefined : coding;
  return {
    ...known,
    contentEncoding,
    url,
    redirects,
    contentType: headers['content-type'],
    contentDisposition: headers['content-disposition'],
    validator: contentEncoding === undefined ? strongValidator(headers) : undefined,
  };
}

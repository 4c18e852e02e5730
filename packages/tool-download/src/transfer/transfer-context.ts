import type { HttpClient, HttpResponse } from '@toolwright/core';

/** What every step of one download shares. */
export interface TransferContext {
  readonly http: HttpClient;
  /** The caller's end or the deadline, whichever comes first. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970 at which the download must be over. */
  readonly deadlineMs: number;
  readonly maxBytes: number;
  /** Milliseconds before the first retry; doubled for each further one. */
  readonly retryDelayMs: number;
  now(): number;
}

/** A request of this download; `position` and `end` (included) name the range. */
export interface RangeRequest {
  readonly url: string;
  readonly range?: { readonly position: number; readonly end?: number };
  readonly validator?: string;
  readonly sameOrigin?: boolean;
}

/**
 * Sends one request of a download: the bytes as stored (identity), a range only where one is wanted, and `If-Range` so that a changed
 * file is answered whole.
 */
export async function sendRange(
  context: TransferContext,
  { url, range, validator, sameOrigin }: RangeRequest,
): Promise<HttpResponse> {
  const headers: Record<string, string> = { accept: '*/*' };
  if (range !== undefined) {
    headers['range'] =
      `bytes=${String(range.position)}-${range.end === undefined ? '' : String(range.end)}`;
    if (validator !== undefined) {
      headers['if-range'] = validator;
    }
  }
  return context.http.request({
    url,
    headers,
    decompress: false,
    // Chunks are written and hashed before the next one is asked for.
    bulk: true,
    sameOrigin: sameOrigin ?? false,
    maxBodyBytes: context.maxBytes,
    timeoutMs: Math.max(context.deadlineMs - context.now(), 1),
    signal: context.signal,
  });
}

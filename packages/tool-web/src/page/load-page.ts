import { httpStatusError, ToolError, toSourceAnchor } from '@toolwright/core';
import type { HttpClient, HttpResponse } from '@toolwright/core';
import { metaRefreshTarget } from '../html/meta-refresh.ts';
import { readBody } from './read-body.ts';
import type { PageBody } from './read-body.ts';

/** Most redirects of a fetch, those of HTTP and of pages together. */
const MAX_REDIRECTS = 10;

/** What loading a page needs of its call. */
export interface LoadContext {
  readonly http: HttpClient;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly accept: string;
  now(): number;
  /** Asked before any new target is opened; throws the refusal. */
  admit(url: string): Promise<void>;
  /** Asked before a page is opened, wherever it is; throws when its site does not want that. */
  checkRobots(url: string): Promise<void>;
}

/** A page as it came. */
export interface LoadedPage {
  /** The URL that answered, with its query. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: PageBody;
  /** Anchors of the first URL and, if it is another, of the last one. */
  readonly anchors: readonly string[];
}

/**
 * Opens a URL and follows it to the page: redirects of HTTP, and of pages that only send their reader elsewhere, ten in all, each one
 * admitted and judged like the first. Errors: by status; those of the transport and of `admit`; `unsupported`/`binary`.
 */
export async function loadPage(url: string, context: LoadContext): Promise<LoadedPage> {
  const first = new URL(url);
  first.hash = '';
  // As it was written: the guard refuses spellings that parsers read in two ways.
  let target = url;
  let followed = 0;
  for (;;) {
    await context.checkRobots(target);
    const response = await open(target, MAX_REDIRECTS - followed, context);
    followed += response.redirects.length;
    const contentType = response.headers['content-type'] ?? '';
    const body = await readBody(response, contentType);
    const next = body.kind === 'html' ? metaRefreshTarget(body.text, response.url) : undefined;
    if (next === undefined) {
      return {
        url: response.url,
        status: response.status,
        contentType,
        body,
        anchors: anchorsOf(first.href, response.url),
      };
    }
    followed += 1;
    assertMayFollow(response.url, next, followed);
    await context.admit(next);
    target = next;
  }
}

async function open(
  url: string,
  maxRedirects: number,
  context: LoadContext,
): Promise<HttpResponse> {
  const response = await context.http.request({
    url,
    headers: { accept: context.accept },
    maxRedirects,
    maxBodyBytes: MAX_BODY_BYTES,
    timeoutMs: context.timeoutMs,
    signal: context.signal,
    onRedirect: async (hop) => context.checkRobots(hop.url),
  });
  if (response.status < 200 || response.status > 299) {
    await response.cancel();
    throw httpStatusError(response, context.now());
  }
  return response;
}

/** Bytes of a page, after decoding. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024;

function assertMayFollow(from: string, to: string, followed: number): void {
  if (followed > MAX_REDIRECTS) {
    throw new ToolError('transport', `More than ${String(MAX_REDIRECTS)} redirects.`, {
      reason: 'too_many_redirects',
    });
  }
  if (from.startsWith('https:') && to.startsWith('http:')) {
    throw new ToolError(
      'transport',
      'The page sends its reader from https to http, which is refused.',
      {
        reason: 'insecure_redirect',
      },
    );
  }
}

function anchorsOf(first: string, last: string): readonly string[] {
  const anchors = [toSourceAnchor(first), toSourceAnchor(last)];
  return [...new Set(anchors)];
}

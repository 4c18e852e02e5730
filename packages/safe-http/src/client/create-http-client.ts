import { isIP } from 'node:net';
import type { HttpClient, HttpRequest, HttpResponse } from '@toolwright/core';
import { ToolError, toSourceAnchor } from '@toolwright/core';
import { bodyTooLarge, capBody } from '../body/cap-body.ts';
import { decodeBody, parseContentEncoding } from '../body/decode-body.ts';
import { systemConnector } from '../connect/open-socket.ts';
import type { ConnectOptions } from '../connect/open-socket.ts';
import { Trust } from '../connect/trust.ts';
import { DirectExchange } from '../exchange/direct-exchange.ts';
import type { EgressGuard } from '../egress/egress-guard.ts';
import type { Exchange, ExchangeResponse } from '../exchange/exchange.ts';
import { toTransportError } from '../exchange/to-transport-error.ts';
import { UndiciExchange } from '../exchange/undici-exchange.ts';
import { assertMethod, toRequestHeaders } from '../headers/request-headers.ts';
import { createEndpointRules } from '../options/endpoint-rules.ts';
import type { EndpointRules } from '../options/endpoint-rules.ts';
import type { Endpoint } from '../options/parse-endpoint.ts';
import { assertLiteralAdmitted, resolveTarget } from '../resolve/resolve-target.ts';
import { systemResolver } from '../resolve/resolver.ts';
import { isPrivateName } from '../url/blocked-names.ts';
import { bareHost, parseRequestUrl } from '../url/parse-request-url.ts';
import { toUrlError } from '../url/url-error.ts';
import { startDeadline } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import type { HttpClientOptions } from './http-client-options.ts';
import { isRedirect, nextHop } from './next-hop.ts';
import type { Hop } from './next-hop.ts';

/** Most redirects that one request follows. */
const MAX_REDIRECTS = 10;
/** Bytes of body when a request names no cap. */
const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Milliseconds for the whole exchange when a request names no limit. */
const DEFAULT_TIMEOUT_MS = 30_000;
/** Bytes of status line and headers. */
const DEFAULT_MAX_HEADER_BYTES = 64 * 1024;

/**
 * Makes the guarded transport of a host: http and https alone, public destinations alone, each hop checked, each connection made
 * to the address that was checked. Errors: `TypeError` for options that cannot be read.
 */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const rules = createEndpointRules(options);
  const proxy = options.proxy === undefined ? undefined : checkProxy(options.proxy);
  const connector = options.connector ?? systemConnector;
  const shared = {
    connector: async (endpoint: Endpoint, connect: ConnectOptions) =>
      connector(rules.socketFor(endpoint), connect),
    trust: new Trust(options.ca),
    maxHeaderBytes: options.maxHeaderBytes ?? DEFAULT_MAX_HEADER_BYTES,
  };
  const exchange = new UndiciExchange({ ...shared, ca: options.ca, proxy });
  const bulkExchange = new DirectExchange({
    ...shared,
    socketFor: options.connector === undefined ? rules.socketFor : undefined,
    fallback: exchange,
  });
  const guard: Guard = {
    exchange,
    bulkExchange,
    egress: options.egress,
    userAgent: options.userAgent ?? 'toolwright/0.1',
    checkLiteral: (url) => {
      checkLiteral(url, rules, proxy !== undefined);
    },
    locate: async (url, signal) =>
      proxy === undefined
        ? resolveTarget(url, { rules, signal, resolver: options.resolver ?? systemResolver })
        : [],
  };
  return {
    request: async (request) => sendRequest(request, guard),
    close: async () => {
      await Promise.all([bulkExchange.close(), exchange.close()]);
    },
  };
}

/** What one client brings to each of its requests. */
interface Guard {
  readonly exchange: Exchange;
  readonly bulkExchange: Exchange;
  readonly userAgent: string;
  readonly egress: EgressGuard | undefined;
  /** Refuses what can be refused without resolving. */
  checkLiteral(url: URL): void;
  /** Resolves and judges; the endpoints that the connection may go to. */
  locate(url: URL, signal: AbortSignal): Promise<readonly Endpoint[]>;
}

async function sendRequest(request: HttpRequest, guard: Guard): Promise<HttpResponse> {
  const first = firstHop(request, guard);
  const deadline = startDeadline(request.timeoutMs ?? DEFAULT_TIMEOUT_MS, request.signal);
  try {
    const { hop, answer, passed } = await followRedirects(first, request, { guard, deadline });
    return toResponse(answer, request, { hop, passed, deadline });
  } catch (error) {
    const failure = deadline.signal.aborted ? deadline.signal.reason : toTransportError(error);
    deadline.abort(new ToolError('cancelled', 'The request has failed.'));
    deadline.release();
    throw failure;
  }
}

function firstHop(request: HttpRequest, guard: Guard): Hop {
  const parsed = parseRequestUrl(request.url);
  if (!parsed.ok) {
    throw toUrlError(parsed);
  }
  const method = request.method ?? 'GET';
  assertMethod(method);
  const encoding = request.decompress === false ? 'identity' : 'gzip, deflate, br';
  return {
    url: parsed.url,
    method,
    headers: {
      accept: '*/*',
      'user-agent': guard.userAgent,
      ...toRequestHeaders(request.headers ?? {}),
      'accept-encoding': encoding,
    },
    body: request.body,
  };
}

async function followRedirects(
  first: Hop,
  request: HttpRequest,
  { guard, deadline }: { readonly guard: Guard; readonly deadline: Deadline },
): Promise<{ hop: Hop; answer: ExchangeResponse; passed: readonly string[] }> {
  const maxRedirects = Math.min(Math.max(request.maxRedirects ?? MAX_REDIRECTS, 0), MAX_REDIRECTS);
  const passed: string[] = [];
  guard.checkLiteral(first.url);
  await checkEgress(first, request, guard);
  let hop = first;
  for (;;) {
    deadline.signal.throwIfAborted();
    const endpoints = await atHop(passed.length, async () => {
      guard.checkLiteral(hop.url);
      return guard.locate(hop.url, deadline.signal);
    });
    // Decoding looks ahead: it cannot do with chunks that share memory.
    const isBulk = request.bulk === true && request.decompress === false;
    const exchange = isBulk ? guard.bulkExchange : guard.exchange;
    const answer = await exchange.send({ ...hop, endpoints, signal: deadline.signal });
    if (!isRedirect(answer.status)) {
      return { hop, answer, passed };
    }
    answer.destroy();
    if (passed.length >= maxRedirects) {
      throw new ToolError('transport', `More than ${String(maxRedirects)} redirects.`, {
        reason: 'too_many_redirects',
      });
    }
    const next = nextHop(
      hop,
      { status: answer.status, location: answer.headers['location'] },
      { number: passed.length + 1, sameOrigin: request.sameOrigin ?? false },
    );
    passed.push(toSourceAnchor(hop.url.href));
    await atHop(passed.length, async () => {
      guard.checkLiteral(next.url);
      await request.onRedirect?.({
        url: next.url.href,
        status: answer.status,
        method: next.method,
      });
    });
    hop = next;
  }
}

/** Only what the caller wrote is looked at: the URLs of redirects are the servers' own. */
async function checkEgress(hop: Hop, request: HttpRequest, { egress }: Guard): Promise<void> {
  const finding = egress?.inspect(hop);
  if (finding === undefined) {
    return;
  }
  if (request.onEgress === undefined) {
    throw new ToolError('permission_denied', `${finding.message} The request was not sent.`, {
      reason: 'egress',
      fields: { kind: finding.kind, where: finding.where, target: finding.target },
    });
  }
  await request.onEgress(finding);
}

/** Runs a check of the hop with this number; a refusal behind a redirect names it. */
async function atHop<T>(number: number, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (number === 0 || !ToolError.isInstance(error) || error.reason !== 'address_refused') {
      throw error;
    }
    throw new ToolError(error.type, `Redirect ${String(number)}: ${error.message}`, {
      reason: error.reason,
      cause: error,
    });
  }
}

function toResponse(
  answer: ExchangeResponse,
  request: HttpRequest,
  state: { readonly hop: Hop; readonly passed: readonly string[]; readonly deadline: Deadline },
): HttpResponse {
  const { hop, passed, deadline } = state;
  const maxBodyBytes = request.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
  const codings =
    request.decompress === false ? [] : parseContentEncoding(answer.headers['content-encoding']);
  const hasBody = hop.method !== 'HEAD';
  if (
    hasBody &&
    codings.length === 0 &&
    Number(answer.headers['content-length'] ?? 0) > maxBodyBytes
  ) {
    answer.destroy();
    throw bodyTooLarge(maxBodyBytes);
  }
  const end = (isWhole: boolean): void => {
    deadline.release();
    if (!isWhole) {
      answer.destroy();
    }
  };
  const decoded = codings.length === 0 ? answer.body : decodeBody(answer.body, codings);
  return {
    status: answer.status,
    headers: answer.headers,
    url: hop.url.href,
    redirects: passed,
    body: guardBody(capBody(decoded, maxBodyBytes), deadline.signal, end),
    cancel: async () => {
      end(false);
    },
  };
}

/** Types the failures of a body and lets go of everything when it ends, whichever way. */
async function* guardBody(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  end: (isWhole: boolean) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isWhole = false;
  try {
    yield* body;
    isWhole = true;
  } catch (error) {
    throw signal.aborted ? signal.reason : toTransportError(error);
  } finally {
    end(isWhole);
  }
}

function checkLiteral(url: URL, rules: EndpointRules, hasProxy: boolean): void {
  assertLiteralAdmitted(url, rules);
  const host = bareHost(url);
  if (hasProxy && isIP(host) === 0 && isPrivateName(host)) {
    throw new ToolError(
      'permission_denied',
      `The host "${host}" names a private network and is refused.`,
      {
        reason: 'address_refused',
      },
    );
  }
}

function checkProxy(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') {
    // The text may hold a password: it is not shown.
    throw new TypeError('proxy: not an http or https URL.');
  }
  return text;
}

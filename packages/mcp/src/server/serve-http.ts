import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { toWebRequest } from '@modelcontextprotocol/node';
import { isLegacyRequest } from '@modelcontextprotocol/server';
import { checkRequest } from './check-request.ts';
import { answerError, answerJson } from './http-answers.ts';
import { authenticate, metadataPath, type HttpAuth } from './http-auth.ts';
import { createHttpGuard, type HttpGuardOptions } from './http-guard.ts';
import { LegacyEndpoint, type ServerRequest } from './legacy-endpoint.ts';
import { ModernEndpoint } from './modern-endpoint.ts';
import { readBody } from './read-body.ts';
import type { OpenSession, ServeOptions } from './serve-options.ts';

/** How sessions are served over HTTP. */
export interface ServeHttpOptions extends ServeOptions, HttpGuardOptions {
  /** Default 0: any port that is free. */
  readonly port?: number;
  /** The address to listen on. Default `127.0.0.1`; any other than this machine itself needs `auth`. */
  readonly host?: string;
  /** Default `/mcp`. */
  readonly path?: string;
  readonly auth?: HttpAuth;
  /** The URL that clients know this server by; default: from host, port and path. */
  readonly publicUrl?: URL;
  /** Bytes of one message, at most. Default 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Sessions at once; for one more, the one that was idle longest goes. Default 100. */
  readonly maxSessions?: number;
  /** Milliseconds after which an unused session is closed. Default 30 minutes. */
  readonly idleMs?: number;
}

/** Sessions that are being served. */
export interface HttpServing {
  /** What clients connect to. */
  readonly url: string;
  /** What it listens on. */
  readonly port: number;
  /** Stops listening, cancels what runs and closes every session; idempotent. */
  close(): Promise<void>;
}

/**
 * Serves clients over Streamable HTTP, both protocol eras on one endpoint. Errors: `TypeError` for an address other
 * than this machine itself without `auth`; what listening throws.
 */
export async function serveHttp(
  open: OpenSession,
  options: ServeHttpOptions = {},
): Promise<HttpServing> {
  const { host = '127.0.0.1', path = '/mcp', auth } = options;
  if (auth === undefined && !isLoopback(host)) {
    throw new TypeError(
      `Listening on ${host} lets other machines in: give auth, or listen on 127.0.0.1.`,
    );
  }
  const bounds = { maxSessions: options.maxSessions ?? 100, idleMs: options.idleMs ?? 30 * 60_000 };
  const legacy = new LegacyEndpoint(open, options, bounds);
  const modern = new ModernEndpoint(open, options, bounds);
  const guard = createHttpGuard({
    ...options,
    allowedHosts: [...(options.allowedHosts ?? []), hostInUrl(host)],
  });
  let url = '';
  const handle = async (request: ServerRequest, response: ServerResponse): Promise<void> => {
    if (!guard(request, response)) return;
    const [pathname = ''] = request.url.split('?', 1);
    const metadataUrl = new URL(metadataPath(new URL(url).pathname), url).href;
    if (auth !== undefined && pathname === new URL(metadataUrl).pathname) {
      answerJson(response, 200, protectedResource(url, auth));
      return;
    }
    if (pathname !== path) {
      answerError(response, { status: 404, code: -32_000, message: 'There is nothing here.' });
      return;
    }
    const { method } = request;
    if (!['GET', 'POST', 'DELETE'].includes(method)) {
      answerError(response, {
        status: 405,
        code: -32_000,
        message: 'Method not allowed.',
        headers: { allow: 'GET, POST, DELETE' },
      });
      return;
    }
    const known =
      auth === undefined
        ? { principal: undefined }
        : await authenticate(request, response, { ...auth, resourceMetadataUrl: metadataUrl });
    if (known === undefined) return;
    const exchange = { request, response, ...known };
    if (method !== 'POST') {
      await legacy.handle({ ...exchange, body: undefined });
      return;
    }
    const body = await readBody(request, options.maxBodyBytes ?? 4 * 1024 * 1024);
    if (body.kind === 'failure') {
      answerError(response, body.failure);
      return;
    }
    const checked = checkBody(body.value);
    if (!checked.ok) {
      const { id, problem: text } = checked;
      answerJson(response, 200, { jsonrpc: '2.0', id, error: { code: -32_602, message: text } });
      return;
    }
    const { value } = checked;
    const isLegacy = await isLegacyRequest(await toWebRequest(request, value), value);
    await (isLegacy ? legacy : modern).handle({ ...exchange, body: value });
  };
  const server = createHttpServer((request, response) => {
    // What a server receives has a method and a URL.
    handle(request as ServerRequest, response).catch((error: unknown) => {
      options.onError?.(error instanceof Error ? error : new Error(String(error)));
      if (response.headersSent) response.destroy();
      else {
        answerError(response, { status: 500, code: -32_603, message: 'Internal server error' });
      }
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // A server that listens on a port has one.
  const { port } = server.address() as AddressInfo;
  url = options.publicUrl?.href ?? `http://${hostInUrl(host)}:${port}${path}`;
  let closing: Promise<void> | undefined;
  return {
    url,
    port,
    close: () => {
      closing ??= (async () => {
        const stopped = new Promise((resolve) => {
          server.close(resolve);
        });
        await Promise.allSettled([legacy.close(), modern.close()]);
        server.closeAllConnections();
        await stopped;
      })();
      return closing;
    },
  };
}

type CheckedBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly id: string | number | null; readonly problem: string };

/** One request as the protocol's servers can take it; anything else is theirs to judge, but for what is too deep. */
function checkBody(value: unknown): CheckedBody {
  const message = Array.isArray(value) ? { items: value } : value;
  if (typeof message !== 'object' || message === null) return { ok: true, value };
  const checked = checkRequest({ ...message });
  if (checked.ok) return { ok: true, value: message === value ? checked.message : value };
  const id = 'id' in message ? message.id : null;
  return { ...checked, id: typeof id === 'string' || typeof id === 'number' ? id : null };
}

/** RFC 9728: what clients need to know to get a token. */
function protectedResource(url: string, auth: HttpAuth): object {
  const { authorizationServers, requiredScopes, expectedResource } = auth;
  return {
    resource: expectedResource?.href ?? url,
    ...(authorizationServers === undefined
      ? {}
      : { authorization_servers: [...authorizationServers] }),
    ...(requiredScopes === undefined ? {} : { scopes_supported: [...requiredScopes] }),
    bearer_methods_supported: ['header'],
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function hostInUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

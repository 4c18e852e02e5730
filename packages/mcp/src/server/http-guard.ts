import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { answerError } from './http-answers.ts';

/** Which requests a server takes at all. */
export interface HttpGuardOptions {
  /** Names, without a port, that `Host` may have besides those of this machine itself. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may connect, such as `https://app.example`; they get CORS headers. */
  readonly allowedOrigins?: readonly string[];
}

/** What preflights are told. */
const corsHeaders = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name',
  'access-control-max-age': '600',
};

/**
 * Refuses requests that a web page has made some browser send (DNS rebinding, foreign origins), and answers preflights
 * of the origins that are allowed. Returns whether the request may go on.
 */
export function createHttpGuard(
  options: HttpGuardOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const hosts = [...localhostAllowedHostnames(), ...(options.allowedHosts ?? [])];
  const origins = new Set(options.allowedOrigins);
  return (request, response) => {
    const host = validateHostHeader(request.headers.host, hosts);
    if (!host.ok) {
      answerError(response, { status: 403, code: -32_000, message: host.message });
      return false;
    }
    const { origin } = request.headers;
    const isListed = origin !== undefined && origins.has(origin);
    if (!isListed) {
      const local = validateOriginHeader(origin, localhostAllowedOrigins());
      if (!local.ok) {
        answerError(response, { status: 403, code: -32_000, message: local.message });
        return false;
      }
    } else {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate');
      response.setHeader('vary', 'origin');
      if (request.method === 'OPTIONS') {
        response.writeHead(204, corsHeaders);
        response.end();
        return false;
      }
    }
    return true;
  };
}

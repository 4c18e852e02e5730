import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import { BoundedSessions, type SessionBounds } from './bounded-sessions.ts';
import { notifyChanges } from './change-notifier.ts';
import { createServer } from './create-server.ts';
import { answerError } from './http-answers.ts';
import type { OpenSession, ServeOptions } from './serve-options.ts';
import { ServedSession } from './served-session.ts';

/** A request to a server: those have a method and a URL. */
export type ServerRequest = IncomingMessage & { readonly method: string; readonly url: string };

/** A request with what was found out about it. */
export interface HttpExchange {
  readonly request: ServerRequest;
  readonly response: ServerResponse;
  /** The parsed body of a POST. */
  readonly body: unknown;
  readonly principal: string | undefined;
}

/** A session of the older protocol. */
interface LegacySession {
  readonly principal: string | undefined;
  readonly transport: NodeStreamableHTTPServerTransport;
  close(): Promise<void>;
}

/** The older protocol over HTTP: each client has a session, with a kernel session of its own behind it. */
export class LegacyEndpoint {
  readonly #open: OpenSession;
  readonly #options: ServeOptions;
  readonly #sessions: BoundedSessions<LegacySession>;

  constructor(open: OpenSession, options: ServeOptions, bounds: SessionBounds) {
    this.#open = open;
    this.#options = options;
    this.#sessions = new BoundedSessions(bounds);
  }

  async handle(exchange: HttpExchange): Promise<void> {
    const { request, response, body, principal } = exchange;
    const id = request.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const session = this.#sessions.use(id);
      if (session === undefined || session.value.principal !== principal) {
        session?.release();
        // Also for a session of somebody else: that there is one is nobody's business.
        answerError(response, { status: 404, code: -32_001, message: 'Session not found' });
        return;
      }
      response.once('close', session.release);
      await session.value.transport.handleRequest(request, response, body);
      return;
    }
    if (request.method === 'GET') {
      answerError(response, {
        status: 405,
        code: -32_000,
        message: 'There is no stream without a session.',
        headers: { allow: 'POST' },
      });
    } else if (isInitializeRequest(body)) await this.#begin(exchange);
    else {
      answerError(response, {
        status: 400,
        code: -32_000,
        message:
          'Mcp-Session-Id is missing: send initialize first, and its session id from then on.',
      });
    }
  }

  close(): Promise<void> {
    return this.#sessions.closeAll();
  }

  async #begin({ request, response, body, principal }: HttpExchange): Promise<void> {
    if (!this.#sessions.reserve()) {
      answerError(response, {
        status: 503,
        code: -32_000,
        message: 'All sessions are in use; try again later.',
        headers: { 'retry-after': '5' },
      });
      return;
    }
    const id = randomUUID();
    const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    try {
      this.#sessions.add(id, await this.#connect(transport, principal));
    } catch (error) {
      this.#sessions.unreserve();
      throw error;
    }
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      void this.#sessions.close(id);
    };
    const session = this.#sessions.use(id);
    if (session !== undefined) response.once('close', session.release);
    await transport.handleRequest(request, response, body);
    // A handshake that was refused leaves nothing behind.
    if (transport.sessionId === undefined) await this.#sessions.close(id);
  }
  /** Opens the kernel session of a client and puts a protocol server in front of it. */
  async #connect(
    transport: NodeStreamableHTTPServerTransport,
    principal: string | undefined,
  ): Promise<LegacySession> {
    const served = await ServedSession.open(this.#open, principal);
    const { server, tell } = createServer(served, this.#options, 'legacy');
    const stopTelling = notifyChanges(served, tell);
    await server.connect(transport);
    return {
      principal,
      transport,
      close: async () => {
        stopTelling();
        await Promise.allSettled([server.close(), served.close()]);
      },
    };
  }
}

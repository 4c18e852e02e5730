import { toNodeHandler, type NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { BoundedSessions, type SessionBounds } from './bounded-sessions.ts';
import { notifyChanges } from './change-notifier.ts';
import { createServer } from './create-server.ts';
import { answerError } from './http-answers.ts';
import type { HttpExchange } from './legacy-endpoint.ts';
import type { OpenSession, ServeOptions } from './serve-options.ts';
import { ServedSession, type SessionChange } from './served-session.ts';

/** What stands behind the requests of one principal. */
interface PrincipalSession {
  readonly handle: NodeMcpRequestHandler;
  close(): Promise<void>;
}

/**
 * The newer protocol over HTTP. It knows no sessions: the kernel session belongs to the principal. Where the server asks
 * for no credentials, all who reach it are one principal.
 */
export class ModernEndpoint {
  readonly #open: OpenSession;
  readonly #options: ServeOptions;
  readonly #sessions: BoundedSessions<PrincipalSession>;
  readonly #opening = new Map<string, Promise<void>>();

  constructor(open: OpenSession, options: ServeOptions, bounds: SessionBounds) {
    this.#open = open;
    this.#options = options;
    this.#sessions = new BoundedSessions(bounds);
  }

  async handle({ request, response, body, principal }: HttpExchange): Promise<void> {
    const key = principal ?? '';
    let session = this.#sessions.use(key);
    if (session === undefined) {
      await this.#opened(key, principal);
      session = this.#sessions.use(key);
    }
    if (session === undefined) {
      answerError(response, {
        status: 503,
        code: -32_000,
        message: 'All sessions are in use; try again later.',
        headers: { 'retry-after': '5' },
      });
      return;
    }
    response.once('close', session.release);
    await session.value.handle(request, response, body);
  }

  close(): Promise<void> {
    return this.#sessions.closeAll();
  }

  /** Opens the session of a principal once, however many requests come at the same time. */
  async #opened(key: string, principal: string | undefined): Promise<void> {
    let opening = this.#opening.get(key);
    if (opening === undefined) {
      opening = this.#begin(key, principal).finally(() => this.#opening.delete(key));
      this.#opening.set(key, opening);
    }
    await opening;
  }

  async #begin(key: string, principal: string | undefined): Promise<void> {
    if (!this.#sessions.reserve()) return;
    try {
      this.#sessions.add(key, await this.#connect(principal));
    } catch (error) {
      this.#sessions.unreserve();
      throw error;
    }
  }

  async #connect(principal: string | undefined): Promise<PrincipalSession> {
    const served = await ServedSession.open(this.#open, principal);
    const { onError } = this.#options;
    const handler = createMcpHandler(() => createServer(served, this.#options, 'modern').server, {
      legacy: 'reject',
      ...(onError === undefined ? {} : { onerror: onError }),
    });
    const tell = async (change: SessionChange): Promise<void> => {
      if (typeof change !== 'string') handler.notify.resourceUpdated(change.resource);
      else if (change === 'tools') handler.notify.toolsChanged();
      else if (change === 'prompts') handler.notify.promptsChanged();
      else handler.notify.resourcesChanged();
    };
    const stopTelling = notifyChanges(served, tell);
    return {
      handle: toNodeHandler(handler),
      close: async () => {
        stopTelling();
        await Promise.allSettled([handler.close(), served.close()]);
      },
    };
  }
}

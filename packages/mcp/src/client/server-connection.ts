import type { Client } from '@modelcontextprotocol/client';
import {
  createSanitiser,
  ToolError,
  type JsonObject,
  type KernelContext,
  type Sanitiser,
  type ToolOutput,
} from '@toolwright/core';
import { Backoff } from './backoff.ts';
import { callTool, LinkLostError, type ActiveCall } from './call-tool.ts';
import { hideInFailure, secretsOf } from './config-secrets.ts';
import type { ForeignTool } from './foreign-tool.ts';
import type {
  McpDefinitionChange,
  McpEvent,
  McpServerState,
  McpServerStatus,
} from './mcp-event.ts';
import { listenForChanges } from './listen-for-changes.ts';
import { isUnauthorized, messageOf, type Link } from './open-link.ts';
import { toParamHeaders } from './param-headers.ts';
import { toPlainText } from './plain-text.ts';
import type { PinStore } from './pin-store.ts';
import { RefreshSchedule } from './refresh-schedule.ts';
import { RetiredLinks } from './retired-links.ts';
import type { ServerSettings } from './server-config.ts';
import { ServerLog } from './server-log.ts';
import { ServerTools, type DroppedTool } from './server-tools.ts';
import { toLoss } from './to-loss.ts';
import { toOutput } from './to-output.ts';
import { untilAborted } from './until-aborted.ts';

/** Characters of a server's own instructions that are kept. */
const MAX_INSTRUCTIONS_CHARS = 4_096;

/** What a connection is made with. */
export interface ServerConnectionOptions {
  readonly settings: ServerSettings;
  /** Opens a link within the signal's time; told of notifications and of the link's own end. */
  readonly open: (events: {
    readonly onNotification: (method: string, params: unknown) => void;
    readonly onClose: () => void;
    readonly onAuthorizer: (finish: (params: URLSearchParams) => Promise<void>) => void;
    readonly active: ReadonlySet<ActiveCall>;
    readonly signal: AbortSignal;
  }) => Promise<Link>;
  /** The tools or the state are not what they were. */
  readonly onChange: () => void;
  readonly onEvent: (event: McpEvent) => void;
  readonly pins: PinStore | undefined;
}

/** One server of one session: its life from the first start to the close, and the calls that go to it. */
export class ServerConnection {
  readonly settings: ServerSettings;
  /** Settles when the server is ready or has failed for the first time. */
  readonly settled: Promise<void>;
  /** Hides what the config keeps secret in whatever is told of the server. */
  readonly hiding: Sanitiser;
  readonly #options: ServerConnectionOptions;
  readonly #closing = new AbortController();
  readonly #active = new Set<ActiveCall>();
  readonly #links = new RetiredLinks();
  readonly #tools: ServerTools;
  readonly #backoff: Backoff;
  readonly #refreshes: RefreshSchedule;
  #state: McpServerState = 'connecting';
  #reason: string | undefined;
  #link: Link | undefined;
  #attempt: Promise<void> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #stderrTail = '';
  #finishAuth: ((params: URLSearchParams) => Promise<void>) | undefined;
  readonly #log: ServerLog;

  constructor(options: ServerConnectionOptions) {
    this.#options = options;
    this.settings = options.settings;
    this.hiding = createSanitiser(secretsOf(options.settings.endpoint));
    this.#tools = new ServerTools({
      settings: options.settings,
      call: (foreign, input, context) => this.call(foreign, input, context),
      onEvent: options.onEvent,
      pins: options.pins,
    });
    this.#log = new ServerLog(options.settings.name, (event) =>
      options.onEvent(this.hiding.json(event)),
    );
    this.#backoff = new Backoff(options.settings.maxRestarts);
    this.#refreshes = new RefreshSchedule(async () => {
      const link = this.#link;
      if (link === undefined) return 0;
      return this.#list(link, AbortSignal.timeout(this.settings.connectTimeoutMs));
    });
    if (options.settings.disabled) {
      this.#state = 'disabled';
      this.settled = Promise.resolve();
    } else {
      this.settled = this.#connect();
    }
  }

  get tools(): readonly ForeignTool[] {
    return this.#tools.tools;
  }

  get dropped(): readonly DroppedTool[] {
    return this.#tools.dropped;
  }

  get state(): McpServerState {
    return this.#state;
  }

  get client(): Client | undefined {
    return this.#link?.client;
  }

  /** The state in words, for a surface; undefined while the server is ready. */
  get trouble(): string | undefined {
    const { name } = this.settings;
    const because = this.#reason === undefined ? '' : `: ${this.#reason}`;
    switch (this.#state) {
      case 'ready':
      case 'reconnecting':
        return undefined;
      case 'connecting':
        return `server ${name} is still connecting`;
      case 'needs_auth':
        return `server ${name} needs authorization${because}`;
      case 'failed':
        return `server ${name} failed${because}`;
      case 'disabled':
        return `server ${name} is disabled`;
      case 'closed':
        return `server ${name} is closed`;
    }
  }

  status(): McpServerStatus {
    const link = this.#link;
    const version = link?.client.getServerVersion();
    const instructions = link?.client.getInstructions();
    const facts = link?.facts();
    return {
      server: this.settings.name,
      state: this.#state,
      reason: this.#reason,
      transport: link?.kind,
      era: link?.era,
      protocolVersion: link?.client.getNegotiatedProtocolVersion(),
      serverInfo:
        version === undefined ? undefined : { name: version.name, version: version.version },
      instructions:
        instructions === undefined ? undefined : toPlainText(instructions, MAX_INSTRUCTIONS_CHARS),
      toolCount: this.tools.length,
      dropped: this.dropped,
      warnings: [...this.settings.warnings, ...this.#tools.warnings],
      stderrTail: this.hiding.text(facts?.stderrTail ?? this.#stderrTail),
      noiseLines: facts?.noiseLines ?? 0,
    };
  }

  /** Calls a tool and reads its answer. Errors: `transport`, `timeout`, `cancelled`, `limit_exceeded`. */
  async call(foreign: ForeignTool, args: JsonObject, context: KernelContext): Promise<ToolOutput> {
    const { settings } = this;
    for (let tries = 0; ; tries += 1) {
      const link = await this.whenUp(context);
      const isOver = this.#links.use(link);
      try {
        const result = await callTool(link, {
          tool: foreign.original,
          args,
          context,
          active: this.#active,
          headers: toParamHeaders(foreign.paramHeaders, args),
          times: {
            server: settings.name,
            timeoutMs: settings.timeoutMs,
            maxTotalMs: settings.maxTotalMs,
            resetOnProgress: settings.resetTimeoutOnProgress,
          },
        });
        return toOutput(result, {
          server: settings.name,
          tool: foreign.original,
          outputValidator: foreign.outputValidator,
        });
      } catch (error) {
        if (!(error instanceof LinkLostError)) throw hideInFailure(error, this.hiding);
        const canHelp = this.#tookNote(error, link);
        const mayRepeat = error.mayHaveRun ? settings.retry && foreign.repeatable : canHelp;
        if (mayRepeat && tries === 0) continue;
        const needsAuth = this.#state === 'needs_auth';
        const lost = { server: settings.name, link: link.facts(), needsAuth };
        throw hideInFailure(toLoss(error, lost), this.hiding);
      } finally {
        isOver();
      }
    }
  }

  /** Connects anew, whatever the state. */
  async reconnect(): Promise<void> {
    if (this.#closing.signal.aborted || this.settings.disabled) return;
    const link = this.#link;
    this.#link = undefined;
    await link?.close();
    await this.#connect();
  }

  /** Redeems what the authorization server gave the host, and connects. Errors: those of the exchange. */
  async finishAuth(params: URLSearchParams): Promise<void> {
    if (this.#finishAuth === undefined) {
      throw new TypeError(`The MCP server ${this.settings.name} has asked for no authorization.`);
    }
    await this.#finishAuth(params);
    await this.reconnect();
  }

  changedDefinitions(): readonly McpDefinitionChange[] {
    return this.#tools.changes();
  }

  /** Takes the tools, or those named, as they are described now for the ones that the host knows. */
  async acceptDefinitions(tools?: readonly string[]): Promise<readonly string[]> {
    const accepted = await this.#tools.accept(tools);
    this.#options.onChange();
    return accepted;
  }

  async close(): Promise<void> {
    if (this.#state !== 'disabled') this.#state = 'closed';
    this.#closing.abort(new ToolError('session_closed', 'The session was closed.'));
    clearTimeout(this.#retry);
    this.#refreshes.end();
    const link = this.#link;
    this.#link = undefined;
    await Promise.allSettled([link?.close(), this.#links.close(), this.#attempt]);
  }

  /** The link, once there is one: a server that is down gets one attempt. */
  async whenUp(context: { readonly signal: AbortSignal }): Promise<Link> {
    const waits = this.#state === 'needs_auth' || this.#closing.signal.aborted;
    if (this.#link === undefined && !waits) {
      await untilAborted(this.#attempt ?? this.#connect(), context.signal);
    }
    if (this.#link !== undefined) return this.#link;
    const { name } = this.settings;
    throw new ToolError(
      'transport',
      `The MCP server ${name} cannot be reached${this.#reason === undefined ? '' : `: ${this.#reason}`}.`,
      {
        reason: this.#state === 'needs_auth' ? 'needs_auth' : 'server_unavailable',
        retryable: true,
      },
    );
  }

  /** Whether another attempt can help: the link is or will be a new one. */
  #tookNote(error: LinkLostError, link: Link): boolean {
    if (error.sessionExpired) {
      // Whoever comes first starts the one attempt that all wait for.
      if (this.#link === link) {
        this.#link = undefined;
        this.#links.retire(link);
        void this.#connect();
      }
      return true;
    }
    if (isUnauthorized(error)) {
      if (this.#link === link) this.#link = undefined;
      this.#links.retire(link);
      this.#enter('needs_auth', 'the server refused the credentials');
      return false;
    }
    return link.kind !== 'http';
  }

  /** One attempt at a time; whoever needs the link waits for it. Never rejects. */
  #connect(): Promise<void> {
    clearTimeout(this.#retry);
    this.#attempt ??= this.#tryToConnect().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #tryToConnect(): Promise<void> {
    const { settings } = this;
    if (this.#state !== 'connecting') this.#enter('reconnecting', this.#reason);
    const timer = new AbortController();
    const late = setTimeout(
      () =>
        timer.abort(
          new ToolError(
            'timeout',
            `it was not ready within ${settings.connectTimeoutMs} ms (connectTimeoutMs)`,
          ),
        ),
      settings.connectTimeoutMs,
    );
    const signal = AbortSignal.any([timer.signal, this.#closing.signal]);
    let link: Link | undefined;
    try {
      link = await this.#options.open({
        onNotification: (method, params) => this.#onNotification(method, params),
        onClose: () => this.#onLinkClosed(link),
        onAuthorizer: (finish) => {
          this.#finishAuth = finish;
        },
        active: this.#active,
        signal,
      });
      await this.#list(link, signal);
      if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
      this.#link = link;
      this.#backoff.succeeded();
      this.#enter('ready', undefined);
      if (link.era === 'modern') {
        void listenForChanges(link, {
          isCurrent: () => this.#link === link,
          notice: () => this.#refreshes.notice(),
        });
      }
    } catch (error) {
      this.#stderrTail = link?.facts()?.stderrTail ?? this.#stderrTail;
      await link?.close();
      if (this.#closing.signal.aborted) return;
      const reason = timer.signal.aborted ? messageOf(timer.signal.reason) : messageOf(error);
      if (isUnauthorized(error)) {
        this.#enter('needs_auth', 'the host has to authorize it');
      } else if (this.#state === 'reconnecting') this.#tryLater(reason);
      else this.#fail(reason);
    } finally {
      clearTimeout(late);
    }
  }

  #onLinkClosed(link: Link | undefined): void {
    if (link === undefined || this.#link !== link || this.#closing.signal.aborted) return;
    this.#link = undefined;
    const facts = link.facts();
    this.#stderrTail = facts?.stderrTail ?? this.#stderrTail;
    this.#state = 'reconnecting';
    this.#tryLater(facts?.ended === undefined ? 'the connection was closed' : facts.ended);
  }

  #tryLater(reason: string): void {
    const waitMs = this.#backoff.next();
    if (waitMs === undefined) {
      this.#fail(
        `${reason}; it was given up after ${this.settings.maxRestarts} restarts in 5 minutes`,
      );
      return;
    }
    this.#enter('reconnecting', reason);
    this.#retry = setTimeout(() => void this.#connect(), waitMs);
    this.#retry.unref();
  }

  #fail(reason: string): void {
    this.#tools.dropAll(`server ${this.settings.name} failed: ${this.#toShown(reason)}`);
    this.#enter('failed', reason);
  }

  #toShown(reason: string): string {
    return toPlainText(this.hiding.text(reason), 1_000);
  }

  #enter(state: McpServerState, reason: string | undefined): void {
    if (this.#closing.signal.aborted) return;
    this.#state = state;
    this.#reason = reason === undefined ? undefined : this.#toShown(reason);
    this.#options.onEvent({
      type: 'state',
      server: this.settings.name,
      state,
      reason: this.#reason,
    });
    this.#options.onChange();
  }

  async #list(link: Link, signal: AbortSignal): Promise<number> {
    const busyMs = await this.#tools.read(link, { signal, tells: this.#state === 'ready' });
    const startedAt = performance.now();
    this.#options.onChange();
    return busyMs + performance.now() - startedAt;
  }

  #onNotification(method: string, params: unknown): void {
    if (method === 'notifications/tools/list_changed') this.#refreshes.notice();
    else if (method === 'notifications/message') this.#log.tell(params);
  }
}

import type { McpEvent } from './mcp-event.ts';
import { toPlainText } from './plain-text.ts';

/** Log messages told in one second. */
const MAX_LOGS = 50;

/** Tells a server's log messages (`notifications/message`) as events, cleaned, cut, and no more than 50 in a second. */
export class ServerLog {
  readonly #server: string;
  readonly #onEvent: (event: McpEvent) => void;
  #second = 0;
  #count = 0;

  constructor(server: string, onEvent: (event: McpEvent) => void) {
    this.#server = server;
    this.#onEvent = onEvent;
  }

  tell(params: unknown): void {
    const second = Math.floor(performance.now() / 1_000);
    if (this.#second !== second) {
      this.#second = second;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count > MAX_LOGS || typeof params !== 'object' || params === null) return;
    // A server may send anything; both fields are looked at below.
    const { level, data } = params as { readonly level?: unknown; readonly data?: unknown };
    const text = typeof data === 'string' ? data : JSON.stringify(data ?? null);
    this.#onEvent({
      type: 'log',
      server: this.#server,
      level: typeof level === 'string' ? level.slice(0, 20) : 'info',
      message: toPlainText(text, 2_000),
    });
  }
}

import type { Endpoint } from '../options/parse-endpoint.ts';

/** One request to one place, everything decided: no redirects, no resolving, no decoding here. */
export interface ExchangeRequest {
  readonly url: URL;
  /** Where the connection may go, judged; empty when a proxy resolves the name. */
  readonly endpoints: readonly Endpoint[];
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /** Covers the whole exchange, body included. */
  readonly signal: AbortSignal;
}

/** The head of a response and the bytes that follow, as sent. */
export interface ExchangeResponse {
  readonly status: number;
  /** Lower-case names; repeated headers joined by `, `. Values are latin1 strings: one character a byte. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the connection; idempotent. */
  destroy(): void;
}

/** What speaks HTTP. Failures are thrown as they come; {@link toTransportError} types them. */
export interface Exchange {
  send(request: ExchangeRequest): Promise<ExchangeResponse>;
  close(): Promise<void>;
}

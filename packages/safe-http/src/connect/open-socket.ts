import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { ToolError } from '@toolwright/core';
import type { Endpoint } from '../options/parse-endpoint.ts';
import type { OnRead } from '../exchange/socket-reader.ts';
import { untilAborted } from '../client/until-aborted.ts';
import { awaitConnected } from './await-connected.ts';

/**
 * Opens a TCP connection to one endpoint and resolves when it stands. When `signal` aborts it gives up; a socket that
 * comes too late is destroyed by the caller.
 */
export type Connector = (endpoint: Endpoint, options: ConnectOptions) => Promise<Socket>;

/** What a connector is handed beside the endpoint. */
export interface ConnectOptions {
  readonly signal: AbortSignal;
  /** Where the connection may read into, as `net.connect` takes it; it can be left out. */
  readonly onRead?: OnRead;
}

/** Milliseconds after which the next address is tried beside the one that does not answer (RFC 8305). */
const ATTEMPT_DELAY_MS = 250;

/** Opens a plain TCP connection. No name is resolved here: the address is a literal. */
export const systemConnector: Connector = async ({ address, port }, { signal, onRead }) => {
  const socket = connect({
    host: address,
    port,
    noDelay: true,
    ...(onRead === undefined ? {} : { onread: onRead }),
  });
  return awaitConnected(socket, signal);
};

/**
 * Connects to the first endpoint that answers: each gets a head start over the next, a failure starts the next at once.
 * Every other attempt is given up. Errors: `transport`/`connect_failed`, retryable.
 */
export async function openSocket<S extends Socket>(
  endpoints: readonly Endpoint[],
  options: {
    readonly connector: (endpoint: Endpoint, options: ConnectOptions) => Promise<S>;
    readonly signal: AbortSignal;
  },
): Promise<S> {
  const losers = new AbortController();
  const signal = AbortSignal.any([options.signal, losers.signal]);
  let timer: NodeJS.Timeout | undefined;
  let winner: S | undefined;
  const race = new Promise<S>((resolve, reject) => {
    let started = 0;
    let failed = 0;
    const tryOne = async (endpoint: Endpoint): Promise<void> => {
      const socket = await options.connector(endpoint, { signal });
      if (winner !== undefined || signal.aborted) {
        socket.destroy();
        return;
      }
      winner = socket;
      resolve(socket);
    };
    const startNext = (): void => {
      clearTimeout(timer);
      const endpoint = endpoints[started];
      if (endpoint === undefined) {
        return;
      }
      started += 1;
      timer = setTimeout(startNext, ATTEMPT_DELAY_MS);
      tryOne(endpoint).catch((error: unknown) => {
        failed += 1;
        if (failed === endpoints.length) {
          reject(toConnectError(error));
        } else if (winner === undefined) {
          startNext();
        }
      });
    };
    startNext();
  });
  try {
    return await untilAborted(race, options.signal);
  } finally {
    clearTimeout(timer);
    losers.abort(new Error('Another address answered first.'));
  }
}

function toConnectError(cause: unknown): ToolError {
  const code =
    typeof cause === 'object' && cause !== null && 'code' in cause
      ? ` (${String(cause.code)})`
      : '';
  return new ToolError('transport', `No connection could be made${code}.`, {
    reason: 'connect_failed',
    retryable: true,
    cause,
  });
}

import type { Readable, Writable } from 'node:stream';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import { notifyChanges } from './change-notifier.ts';
import { claimStdout } from './claim-stdout.ts';
import { createServer, type ProtocolServer } from './create-server.ts';
import { DirectCalls } from './direct-calls.ts';
import type { OpenSession, ServeOptions } from './serve-options.ts';
import { ServedSession } from './served-session.ts';
import { StdioTransport } from './stdio-transport.ts';

/** How a session is served over stdio. */
export interface ServeStdioOptions extends ServeOptions {
  /** Default: the process's own. */
  readonly input?: Readable;
  /** Default: the process's own; whatever else writes there goes to standard error meanwhile. */
  readonly output?: Writable;
  /** Bytes of one message, at most; a longer one is answered as an error and skipped. Default 16 MiB. */
  readonly maxMessageBytes?: number;
  /** Bytes of answers that may wait for a client that does not read; beyond it nothing more is taken. Default 64 MiB. */
  readonly maxUnreadBytes?: number;
}

/** A session that is being served. */
export interface StdioServing {
  /** Settles when the client has gone and the session is closed; never rejects. */
  readonly closed: Promise<void>;
  /** Ends the connection and closes the session; idempotent. */
  close(): Promise<void>;
}

/**
 * Serves one client over stdio, in whichever protocol era it opens with. Ends with the client: at the end of the input,
 * or when the output cannot be written any more. Errors: what `open` throws.
 */
export async function serveStdio(
  open: OpenSession,
  options: ServeStdioOptions = {},
): Promise<StdioServing> {
  const { input = process.stdin, output = process.stdout } = options;
  const { maxMessageBytes, maxUnreadBytes } = options;
  const claimed = claimStdout(output);
  let served: ServedSession;
  try {
    served = await ServedSession.open(open);
  } catch (error) {
    claimed.release();
    throw error;
  }
  let direct: DirectCalls | undefined;
  const transport = new StdioTransport({
    input,
    output,
    write: claimed.write,
    takes: (message) => direct?.takes(message) ?? false,
    ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
    ...(maxUnreadBytes === undefined ? {} : { maxUnreadBytes }),
  });
  const servers = new Set<ProtocolServer>();
  const stopTelling = notifyChanges(served, async (change) => {
    await Promise.all([...servers].map((server) => server.tell(change)));
  });
  let closing: Promise<void> | undefined;
  let tellClosed: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    tellClosed = resolve;
  });
  const close = (): Promise<void> => {
    closing ??= (async () => {
      stopTelling();
      try {
        await Promise.allSettled([transport.close(), served.close()]);
      } finally {
        claimed.release();
        tellClosed();
      }
    })();
    return closing;
  };
  serveConnection(
    ({ era }) => {
      const made = createServer(served, options, era);
      servers.add(made);
      // The newer protocol wraps each request and its result; those are the SDK's to read.
      if (era === 'legacy') {
        direct = new DirectCalls({ ...made, send: (message) => transport.send(message) });
      }
      made.server.onclose = () => servers.delete(made);
      return made.server;
    },
    {
      transport,
      ...(options.onError === undefined ? {} : { onerror: options.onError }),
    },
  );
  // The SDK's entry has set its own handler, which closes the connection's server.
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    direct?.cancelAll();
    void close();
  };
  return { closed, close };
}

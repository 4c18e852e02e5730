import { ConfigError } from '../config/config-error.ts';
import { openSession, openWorkspace } from '../open-session.ts';
import type { Options } from '../options.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/** Milliseconds between two looks at whether the process that started this one is still there. */
const parentPollMs = 2_000;

/** `toolwright mcp`: the tools for MCP clients, every call an agent's, until the client goes or a signal comes. */
export async function mcp(options: Options, terminal: Terminal): Promise<number> {
  if (options.positionals.length > 0) throw new UsageError('mcp takes no arguments.');
  if (options.as === 'host') {
    throw new UsageError('mcp serves agents: policy applies to every call. Leave out --as.');
  }
  const { http: port } = options;
  return port === undefined
    ? serveOverStdio(options, terminal)
    : serveOverHttp(options, terminal, port);
}

async function serveOverStdio(options: Options, terminal: Terminal): Promise<number> {
  const { serveStdio } = await import('@toolwright/mcp/server');
  const serving = await serveStdio((client) => openSession(options, terminal, { client }), {
    input: terminal.stdin,
    output: terminal.stdout,
  });
  const stop = (): void => void serving.close();
  const parent = process.ppid;
  // A parent that was killed may leave the pipe open in somebody else's hands.
  const watch = setInterval(() => {
    if (process.ppid !== parent) stop();
  }, parentPollMs);
  watch.unref();
  const forget = onSignal(stop);
  try {
    await serving.closed;
    return 0;
  } finally {
    clearInterval(watch);
    forget();
  }
}

/** Serves on this machine's own address; where TOOLWRIGHT_MCP_TOKEN is set, to those who know it. */
async function serveOverHttp(options: Options, terminal: Terminal, port: number): Promise<number> {
  const { serveHttp, staticTokens } = await import('@toolwright/mcp/server');
  const shared = openWorkspace(options, terminal);
  const token = terminal.env['TOOLWRIGHT_MCP_TOKEN'];
  const serving = await listening(() =>
    serveHttp((client) => openSession(options, terminal, { client, shared }), {
      port,
      ...(token === undefined ? {} : { auth: { verifier: staticTokens({ [token]: 'user' }) } }),
    }),
  );
  await writeLine(terminal.stderr, `Serving MCP at ${serving.url}`);
  await new Promise<void>((resolve) => {
    onSignal(resolve);
  });
  try {
    await serving.close();
  } finally {
    await shared.close();
  }
  return 0;
}

/** Calls back once for an interrupt or a request to end; returns how not to. */
function onSignal(stop: () => void): () => void {
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
}

/** A port that is taken, or a token that is too short, is the user's to change. */
async function listening<T>(serve: () => Promise<T>): Promise<T> {
  try {
    return await serve();
  } catch (error) {
    throw error instanceof Error ? new ConfigError(`Cannot serve: ${error.message}`) : error;
  }
}

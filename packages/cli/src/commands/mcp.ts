import { openSession } from '../open-session.ts';
import type { Options } from '../options.ts';
import { type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/** Milliseconds between two looks at whether the process that started this one is still there. */
const parentPollMs = 2_000;

/** `toolwright mcp`: the tools for MCP clients, every call an agent's, until the client goes or a signal comes. */
export async function mcp(options: Options, terminal: Terminal): Promise<number> {
  if (options.positionals.length > 0) throw new UsageError('mcp takes no arguments.');
  if (options.as === 'host') {
    throw new UsageError('mcp serves agents: policy applies to every call. Leave out --as.');
  }
  return serveOverStdio(options, terminal);
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
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    await serving.closed;
    return 0;
  } finally {
    clearInterval(watch);
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

import { openSession } from '../open-session.ts';
import type { Options } from '../options.ts';
import { readCall } from '../read-call.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { printEvents } from './events.ts';
import { toWire } from './wire-result.ts';

/** `toolwright call TOOL`: one call; the exit code is the result's. */
export async function call(options: Options, terminal: Terminal): Promise<number> {
  const { name, arguments: args } = await readCall(options, terminal);
  const session = await openSession(options, terminal, { tool: name });
  const interrupt = new AbortController();
  const onInterrupt = (): void => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onInterrupt);
  const events = printEvents(session, options, terminal);
  try {
    await session.ready();
    const how = {
      signal: interrupt.signal,
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    };
    const result =
      options.as === 'agent'
        ? await session.invoke({ name, arguments: args }, how)
        : await session.tool(name, args, how);
    await writeLine(
      terminal.stdout,
      options.json ? JSON.stringify(toWire(result)) : result.output.replace(/\n$/, ''),
    );
    if (result.error?.reason === 'no_approver') {
      await writeLine(
        terminal.stderr,
        'To allow it: answer at a terminal, add --yes, or put a rule under "allow" of the policy in your config file.',
      );
    }
    return interrupt.signal.aborted ? 130 : result.exit_code;
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
    await session.close();
    await events;
  }
}

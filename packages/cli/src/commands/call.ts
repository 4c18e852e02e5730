import { isJsonObject, type JsonObject, type JsonValue } from '@toolwright/core';
import { openSession } from '../open-session.ts';
import type { Options } from '../options.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { printEvents } from './events.ts';
import { toWire } from './wire-result.ts';

/** `toolwright call TOOL`: one call; the exit code is the result's. */
export async function call(options: Options, terminal: Terminal): Promise<number> {
  const [name, text, ...more] = options.positionals;
  if (name === undefined) throw new UsageError('call needs the name of a tool.');
  if (more.length > 0)
    throw new UsageError('call takes one JSON object after the name of the tool.');
  const args = toArguments(text === '-' ? await readAll(terminal) : (text ?? '{}'));
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

/** Reads arguments as a JSON object. Errors: `UsageError`. */
function toArguments(text: string): JsonObject {
  let value: JsonValue;
  try {
    // JSON.parse gives JSON values.
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new UsageError(
      `The arguments are no JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (!isJsonObject(value)) throw new UsageError('The arguments must be a JSON object.');
  return value;
}

/** Bytes of arguments that are read from stdin, at most. */
const maxInputBytes = 64 * 1024 * 1024;

async function readAll(terminal: Terminal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of terminal.stdin) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > maxInputBytes)
      throw new UsageError(`The arguments are larger than ${maxInputBytes} bytes.`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

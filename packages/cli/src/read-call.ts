import { isJsonObject, type JsonObject, type JsonValue } from '@toolwright/core';
import type { Options } from './options.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** The call that a command line names: `TOOL [JSON | -]`, without arguments `{}`. Errors: `UsageError`. */
export async function readCall(
  options: Options,
  terminal: Terminal,
): Promise<{ readonly name: string; readonly arguments: JsonObject }> {
  const [name, text, ...more] = options.positionals;
  if (name === undefined) throw new UsageError(`${options.command} needs the name of a tool.`);
  if (more.length > 0) {
    throw new UsageError(`${options.command} takes one JSON object after the name of the tool.`);
  }
  return {
    name,
    arguments: toArguments(text === '-' ? await readAll(terminal) : (text ?? '{}')),
  };
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

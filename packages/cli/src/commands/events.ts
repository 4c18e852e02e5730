import type { Session } from '@toolwright/core';
import type { Options } from '../options.ts';
import { writeLine, type Terminal } from '../terminal.ts';

/** With `--events`, prints the session's events on stderr as JSON lines; the result settles when it has closed. */
export async function printEvents(
  session: Session,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  if (!options.events) return;
  for await (const event of session.events()) {
    await writeLine(terminal.stderr, JSON.stringify(event));
  }
}

import { openSession } from '../open-session.ts';
import type { Options } from '../options.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { toWire } from './wire-result.ts';

/** `toolwright undo [ID]`: puts back what a call changed, or lists the calls that can be undone, newest first. */
export async function undo(options: Options, terminal: Terminal): Promise<number> {
  const [id, ...more] = options.positionals;
  if (more.length > 0) throw new UsageError('undo takes one id of a call.');
  const session = await openSession(options, terminal, { tool: 'write' });
  try {
    if (id === undefined) {
      const undoable = await session.undoable();
      if (options.json) await writeLine(terminal.stdout, JSON.stringify({ undoable }));
      else {
        for (const { id: call, tool, paths } of undoable) {
          await writeLine(terminal.stdout, `${call}  ${tool}  ${paths.join(', ')}`);
        }
      }
      return 0;
    }
    const result = await session.undo(id);
    await writeLine(terminal.stdout, options.json ? JSON.stringify(toWire(result)) : result.output);
    return result.exit_code;
  } finally {
    await session.close();
  }
}

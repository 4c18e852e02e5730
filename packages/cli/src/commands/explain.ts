import { formatRule } from '@toolwright/core';
import { openSession } from '../open-session.ts';
import type { Options } from '../options.ts';
import { readCall } from '../read-call.ts';
import { writeLine, type Terminal } from '../terminal.ts';

/** `toolwright explain TOOL [JSON | -]`: what policy says of an agent's call, effect by effect; nothing is run. */
export async function explain(options: Options, terminal: Terminal): Promise<number> {
  const call = await readCall(options, terminal);
  const session = await openSession(options, terminal, { tool: call.name });
  try {
    await session.ready();
    const explained = await session.explain(call);
    if (options.json) {
      await writeLine(terminal.stdout, JSON.stringify(explained));
      return 0;
    }
    await writeLine(terminal.stdout, `${explained.decision}: ${explained.reason}`);
    for (const { effect, decision, rule } of explained.effects) {
      const by = rule === undefined ? 'no rule' : formatRule(rule);
      await writeLine(
        terminal.stdout,
        `  ${decision.padEnd(5)}  ${effect.kind} ${effect.target}  (${by})`,
      );
    }
    return 0;
  } finally {
    await session.close();
  }
}

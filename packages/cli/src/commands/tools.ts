import { openSession } from '../open-session.ts';
import type { Options } from '../options.ts';
import { writeLine, type Terminal } from '../terminal.ts';

/** `toolwright tools`: the surface of the session; with `--types`, what a model sees of it as TypeScript declarations. */
export async function tools(options: Options, terminal: Terminal): Promise<number> {
  const session = await openSession(options, terminal);
  try {
    await session.ready();
    if (options.types) {
      const { toTypeSignatures } = await import('@toolwright/tool-program');
      const types = toTypeSignatures(session.toolDefinitions(), { maxUnits: Infinity });
      await writeLine(
        terminal.stdout,
        options.json ? JSON.stringify({ types }) : types.replace(/\n$/, ''),
      );
      return 0;
    }
    const described = new Map(
      session.catalog.entries({ hidden: true }).map((entry) => [entry.name, entry]),
    );
    const entries = session
      .surface()
      .filter((entry) => options.all || entry.state === 'visible')
      .map((entry) => {
        const description = described.get(entry.name)?.description;
        return { ...entry, ...(description === undefined ? {} : { description }) };
      });
    if (options.json) {
      await writeLine(terminal.stdout, JSON.stringify({ tools: entries }));
      return 0;
    }
    const width = Math.max(0, ...entries.map(({ name }) => name.length));
    for (const { name, state, reason, description } of entries) {
      const note = reason ?? firstSentence(description ?? '');
      const shown = options.all ? `${state.padEnd(8)} ${note}` : note;
      await writeLine(terminal.stdout, `${name.padEnd(width)}  ${shown}`);
    }
    return 0;
  } finally {
    await session.close();
  }
}

function firstSentence(text: string): string {
  const end = text.search(/[.:](\s|$)/);
  return end < 0 ? text : text.slice(0, end);
}

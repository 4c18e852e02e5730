import { openSession } from '../open-session.ts';
import type { Options } from '../options.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/**
 * `toolwright tools`: the surface of the session, or the tools that are named; with `--types`, what a model sees of them
 * as TypeScript declarations. Errors: `UsageError` for a name that is none.
 */
export async function tools(options: Options, terminal: Terminal): Promise<number> {
  const session = await openSession(options, terminal);
  try {
    await session.ready();
    const surface = session.surface();
    const unknown = options.positionals.find((name) => !surface.some((tool) => tool.name === name));
    if (unknown !== undefined) {
      throw new UsageError(`There is no tool ${JSON.stringify(unknown)}`, {
        name: unknown,
        known: surface.map(({ name }) => name),
      });
    }
    const isWanted = ({ name }: { readonly name: string }): boolean =>
      options.positionals.length === 0 || options.positionals.includes(name);
    if (options.types) {
      const { toTypeSignatures } = await import('@toolwright/tool-program');
      const types = toTypeSignatures(session.toolDefinitions().filter(isWanted), {
        maxUnits: Infinity,
      });
      await writeLine(
        terminal.stdout,
        options.json ? JSON.stringify({ types }) : types.replace(/\n$/, ''),
      );
      return 0;
    }
    const described = new Map(
      session.catalog.entries({ hidden: true }).map((entry) => [entry.name, entry]),
    );
    const entries = surface
      .filter((entry) => isWanted(entry) && (options.all || entry.state === 'visible'))
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

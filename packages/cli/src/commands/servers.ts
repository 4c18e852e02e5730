import type { McpDefinitionChange } from '@toolwright/mcp';
import { printable } from '../approve.ts';
import { openServers, type ConfiguredServer } from '../open-servers.ts';
import type { Options } from '../options.ts';
import { definitionDiff } from '../definition-diff.ts';
import { writeLine, type Terminal } from '../terminal.ts';

/**
 * `toolwright servers`: where the configured MCP servers stand, and how the definitions of their tools differ from those
 * that are known. Exit code 1 where one failed or has changed definitions.
 */
export async function servers(options: Options, terminal: Terminal): Promise<number> {
  const opened = await openServers(options.positionals, { options, terminal });
  try {
    const found = opened.servers;
    for (const warning of opened.warnings) await writeLine(terminal.stderr, printable(warning));
    if (options.json) {
      await writeLine(terminal.stdout, JSON.stringify({ servers: found.map(toWire) }));
    } else if (found.length === 0) {
      await writeLine(terminal.stdout, 'No MCP servers are configured.');
    } else {
      const width = Math.max(...found.map(({ name }) => name.length));
      for (const server of found) {
        await writeLine(terminal.stdout, toText(server, width));
      }
    }
    return found.some(isOdd) ? 1 : 0;
  } finally {
    await opened.close();
  }
}

function isOdd({ state, changed }: ConfiguredServer): boolean {
  return changed.length > 0 || (state !== 'ready' && state !== 'disabled');
}

function toWire({ name, state, reason, tools, warnings, changed }: ConfiguredServer): object {
  return {
    name,
    state,
    ...(reason === undefined ? {} : { reason }),
    tools,
    warnings,
    changed: changed.map(({ tool, original, changed: parts, before = null, after }) => ({
      tool,
      original,
      changed: parts,
      before,
      after,
    })),
  };
}

function toText(server: ConfiguredServer, width: number): string {
  const { name, state, reason, tools, warnings, changed } = server;
  const facts = [
    ...(state === 'ready' ? [`${tools} tools`] : []),
    ...(changed.length > 0 ? [`${changed.length} changed`] : []),
    ...(reason === undefined ? [] : [printable(reason)]),
  ];
  const head = [
    `${printable(name).padEnd(width)}  ${[state, ...facts].join(', ')}`,
    ...warnings.map((warning) => `  note: ${printable(warning)}`),
  ].join('\n');
  if (changed.length === 0) return head;
  const accept = `  To accept them: toolwright accept ${printable(name)} [TOOL…]`;
  return [head, ...changed.map(toChangeText), accept].join('\n');
}

function toChangeText({ tool, changed, before, after }: McpDefinitionChange): string {
  const parts = changed.flatMap((part) => [
    `    ${part}:`,
    ...definitionDiff(before?.[part], after[part], before !== undefined).map(
      (line) => `      ${printable(line)}`,
    ),
  ]);
  return [`  ${tool} has another ${changed.join(', ')}`, ...parts].join('\n');
}

import { createRequire } from 'node:module';
import { commandList } from './command-list.ts';
import { ConfigError } from './config/config-error.ts';
import { parseOptions } from './options.ts';
import { writeLine, type Terminal } from './terminal.ts';
import { toUsageMessage, UsageError } from './usage-error.ts';

export type { Terminal };

/**
 * Runs the command line. Resolves to the exit code: that of the tool's result, 2 for wrong usage or a config
 * that does not load, 130 when interrupted.
 */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const options = parseOptions(argv);
    if (options.version) {
      const manifest: unknown = createRequire(import.meta.url)('../package.json');
      await writeLine(terminal.stdout, versionOf(manifest));
      return 0;
    }
    if (options.help) {
      const { helpFor } = await import('./help.ts');
      await writeLine(terminal.stdout, helpFor(options.command));
      return 0;
    }
    switch (options.command) {
      case 'tools':
        return await (await import('./commands/tools.ts')).tools(options, terminal);
      case 'call':
        return options.jsonl
          ? await (await import('./commands/call-jsonl.ts')).callJsonl(options, terminal)
          : await (await import('./commands/call.ts')).call(options, terminal);
      case 'explain':
        return await (await import('./commands/explain.ts')).explain(options, terminal);
      case 'mcp':
        return await (await import('./commands/mcp.ts')).mcp(options, terminal);
      case 'servers':
        return await (await import('./commands/servers.ts')).servers(options, terminal);
      case 'accept':
        return await (await import('./commands/accept.ts')).accept(options, terminal);
      case 'undo':
        return await (await import('./commands/undo.ts')).undo(options, terminal);
      case 'new':
        return await (await import('./commands/new.ts')).createPackage(options, terminal);
      case 'check':
        return await (await import('./commands/check.ts')).check(options, terminal);
      case '':
        throw new UsageError('A command is missing.');
      default:
        throw new UsageError(`There is no command ${JSON.stringify(options.command)}`, {
          name: options.command,
          known: Object.keys(commandList),
        });
    }
  } catch (error) {
    if (error instanceof UsageError) {
      const message = await toUsageMessage(error);
      return refuse(message, { argv, terminal, reason: 'usage' });
    }
    if (error instanceof ConfigError) {
      return refuse(error.message, { argv, terminal, reason: 'config' });
    }
    throw error;
  }
}

/** Tells what is wrong with a command that was not run; with `--json`, as the one object that was asked for as well. */
async function refuse(
  message: string,
  context: {
    readonly argv: readonly string[];
    readonly terminal: Terminal;
    readonly reason: 'usage' | 'config';
  },
): Promise<number> {
  const { argv, terminal, reason } = context;
  if (argv.includes('--json')) {
    const [command = '', name = command] = argv.filter((word) => !word.startsWith('-'));
    const error = { type: 'invalid_argument', reason, stage: 'resolve', message, retryable: false };
    const answer = {
      name: command === 'call' ? name : command,
      output: `invalid_argument: ${message}`,
      exit_code: 2,
      metadata: {},
      error,
    };
    await writeLine(terminal.stdout, JSON.stringify(answer));
  }
  const how = reason === 'usage' ? '\nHow it is used: toolwright --help' : '';
  await writeLine(terminal.stderr, `${message}${how}`);
  return 2;
}

function versionOf(manifest: unknown): string {
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

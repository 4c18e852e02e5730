import { createRequire } from 'node:module';
import { ConfigError } from './config/config-error.ts';
import { parseOptions } from './options.ts';
import { writeLine, type Terminal } from './terminal.ts';
import { usage, UsageError } from './usage-error.ts';

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
      await writeLine(terminal.stdout, usage);
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
      case 'undo':
        return await (await import('./commands/undo.ts')).undo(options, terminal);
      case 'new':
        return await (await import('./commands/new.ts')).createPackage(options, terminal);
      case 'check':
        return await (await import('./commands/check.ts')).check(options, terminal);
      case '':
        throw new UsageError('A command is missing.');
      default:
        throw new UsageError(`There is no command ${JSON.stringify(options.command)}.`);
    }
  } catch (error) {
    if (error instanceof UsageError) {
      await writeLine(terminal.stderr, `${error.message}\nHow it is used: toolwright --help`);
      return 2;
    }
    if (error instanceof ConfigError) {
      await writeLine(terminal.stderr, error.message);
      return 2;
    }
    throw error;
  }
}

function versionOf(manifest: unknown): string {
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

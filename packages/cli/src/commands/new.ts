import { ToolError } from '@toolwright/core';
import type { Options } from '../options.ts';
import { writePackage } from '../scaffold/write-package.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/** `toolwright new NAME`: a tool package in a folder of its own, ready to be built and checked; exit code 1 when refused. */
export async function createPackage(options: Options, terminal: Terminal): Promise<number> {
  const [name, ...more] = options.positionals;
  if (name === undefined || more.length > 0) throw new UsageError('new takes one name.');
  try {
    const { packageName, folder, files } = writePackage(name, terminal.cwd);
    await writeLine(
      terminal.stdout,
      options.json
        ? JSON.stringify({ name: packageName, path: folder, files, error: null })
        : [
            `${packageName} is in ${folder}. Next:`,
            '',
            `  cd ${folder}`,
            '  npm install',
            '  npm test             # its own tests and the conformance suite',
            '  npm run build && npx toolwright check',
          ].join('\n'),
    );
    return 0;
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error;
    if (options.json) {
      await writeLine(terminal.stdout, JSON.stringify({ name, error: error.toObject('validate') }));
    } else {
      await writeLine(terminal.stderr, `${error.type}: ${error.message}`);
    }
    return 1;
  }
}

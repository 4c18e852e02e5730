import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Builds this package into a new directory and returns it: threads run built files, as this Node runs no TypeScript. */
export function buildFiles(): string {
  const built = mkdtempSync(join(tmpdir(), 'scan-built-'));
  const require = createRequire(import.meta.url);
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const config = fileURLToPath(new URL('../tsconfig.build.json', import.meta.url));
  spawnSync(process.execPath, [tsc, '-p', config, '--outDir', built], { encoding: 'utf8' });
  writeFileSync(join(built, 'package.json'), '{"type":"module"}');
  return built;
}

// Runs the command line of this repository from where the caller stands, building it first when it is not built.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = fileURLToPath(new URL('../packages/cli/dist/main.js', import.meta.url));
if (!existsSync(main)) {
  const build = spawnSync('pnpm', ['run', 'build'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (build.status !== 0) {
    process.stderr.write(`${build.stdout}${build.stderr}`);
    process.exit(1);
  }
}
process.chdir(process.env.INIT_CWD ?? process.cwd());
await import(main);

// Runs the command line of this repository from where the caller stands, building it first when it is not built.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bootstrap = fileURLToPath(new URL('bootstrap.mjs', import.meta.url));
const main = fileURLToPath(new URL('../packages/cli/dist/main.js', import.meta.url));
if (!existsSync(main)) {
  const build = spawnSync(process.execPath, [bootstrap, 'build'], { stdio: ['ignore', 2, 2] });
  if (build.status !== 0) process.exit(1);
}
process.chdir(process.env.INIT_CWD ?? process.cwd());
await import(main);

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const bench = new URL('../', import.meta.url);
const installed = new URL('node_modules/.installed', bench);

/** Installs the peers that the lockfile names, unless they are there, and builds the packages. */
export function prepare() {
  const lock = createHash('sha256')
    .update(readFileSync(new URL('package-lock.json', bench)))
    .digest('hex');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lock) {
    console.error('Installing the peers to compare with (once) …');
    run(['npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'], bench);
    writeFileSync(installed, lock);
  }
  const { packageManager } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  run(['npx', '--yes', packageManager.split('+')[0], 'run', 'build'], root);
}

function run([command, ...args], cwd) {
  // npm would warn about each setting of pnpm that it is handed.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')),
  );
  const done = spawnSync(command, args, {
    cwd: fileURLToPath(cwd),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (done.status === 0) return;
  process.stderr.write(`${done.stdout ?? ''}${done.stderr ?? ''}`);
  process.exit(1);
}

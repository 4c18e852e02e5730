// Usage: node scripts/bootstrap.mjs build | demo [options] | run <script> [arguments]; needs only Node and npm.
// Brings the pinned pnpm through npx, installs what the lockfile says, builds, and runs the demo or a script.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const { packageManager, engines } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const needed = engines.node.replace('>=', '').split('.').map(Number);
const found = process.versions.node.split('.').map(Number);
if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  console.error(`Node ${engines.node} is needed; this is ${process.versions.node}.`);
  process.exit(1);
}

// npm hands its own settings down; pnpm would warn about each that it does not know.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')),
);
env.TURBO_TELEMETRY_DISABLED = '1';
env.DO_NOT_TRACK = '1';
env.INIT_CWD = process.env.INIT_CWD ?? process.cwd();

const spec = packageManager.split('+')[0];

function pnpm(args, options = {}) {
  const run = spawnSync('npx', ['--yes', spec, ...args], {
    cwd: root,
    stdio: options.quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    shell: process.platform === 'win32',
    encoding: 'utf8',
    env,
  });
  if (run.status === 0) return;
  if (options.quiet) process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}`);
  process.exit(run.status ?? 1);
}

const [command, ...rest] = process.argv.slice(2);
const quiet = command === 'build' || (command === 'demo' && process.env.CI === undefined);
if (quiet) console.error('Installing and building (the first time takes about a minute) …');
pnpm(['install', '--frozen-lockfile', '--prefer-offline'], { quiet });
if (command !== 'run') pnpm(['run', 'build'], { quiet });
if (command === 'demo') {
  const demo = spawnSync(
    process.execPath,
    [fileURLToPath(new URL('apps/demo/dist/main.js', root)), ...rest],
    {
      stdio: 'inherit',
      env: process.env,
      cwd: env.INIT_CWD,
    },
  );
  process.exit(demo.status ?? 1);
}
if (command === 'run') {
  await (await import('./system-tools.mjs')).ensureSystemTools();
  pnpm(['run', ...rest]);
}

// What the tests need beyond npm packages: found on PATH, else installed (Debian, as root), else said how to.
import { spawnSync } from 'node:child_process';

const tools = [
  { command: 'git', package: 'git', why: 'the git tools and their oracle' },
  { command: 'bwrap', package: 'bubblewrap', why: 'the sandbox of bash' },
  { command: 'chromium', package: 'chromium', why: 'rendering pages' },
];

/** Makes sure that each tool is there, or stops with how to install it. */
export async function ensureSystemTools() {
  if (process.platform !== 'linux') return;
  const missing = tools.filter(({ command }) => !isThere(command));
  if (missing.length === 0) return;
  const packages = missing.map((tool) => tool.package);
  if (process.getuid?.() === 0 && isThere('apt-get')) {
    console.error(`Installing ${packages.join(', ')} …`);
    run('apt-get', ['update', '-qq']);
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
  }
  const still = missing.filter(({ command }) => !isThere(command));
  if (still.length === 0) return;
  for (const { command, why, package: name } of still) {
    console.error(
      `${command} is missing, which ${why} need: install it (Debian: apt-get install ${name}).`,
    );
  }
  process.exit(1);
}

function isThere(command) {
  return spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0;
}

function run(command, args) {
  const done = spawnSync(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (done.status !== 0) console.error(`${command} ${args[0]} failed.`);
}

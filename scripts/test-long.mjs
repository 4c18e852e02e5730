// Usage: node scripts/test-long.mjs [files or options of vitest]
// Runs the tests with their large seeded counts: 10,000 schedules, 100,000 calls. Takes many minutes.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const run = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, TOOLWRIGHT_LONG: '1' },
  stdio: 'inherit',
});
process.exit(run.status ?? 1);

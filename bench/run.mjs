// Usage: pnpm bench [--as-is] [ROW…]. Measures the named rows (all without a name), prints them, and keeps them in
// results.json and docs/benchmarks.md. `--as-is` measures what is built, without installing or building first. Exits with 1 when a bar is missed.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { attempt } from './harness/attempts.mjs';
import { prepare } from './harness/prepare.mjs';
import { circumstances, keep, toTable } from './harness/report.mjs';

const folder = new URL('rows/', import.meta.url);
const known = readdirSync(folder).map((file) => file.replace(/\.mjs$/, ''));
known.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
const args = process.argv.slice(2);
const asIs = args.includes('--as-is');
const asked = args
  .filter((name) => name !== '--as-is')
  .map((name) => name.toLowerCase().split('.')[0]);
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No such row: ${unknown.join(', ')}. There are ${known.join(', ')}.`);
  process.exit(2);
}

if (!asIs) prepare();
const work = new Map();
const measured = [];
for (const name of known) {
  const file = new URL(`${name}.mjs`, folder);
  const row = await import(file.href);
  work.set(name.toUpperCase(), row.work);
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.error(`${name.toUpperCase()}: ${row.work} …`);
  const around = circumstances();
  for (const result of await attempt(fileURLToPath(file), row.comparisons)) {
    measured.push({ ...result, ...around });
  }
}
keep(measured, work);
console.log(toTable(measured));
process.exitCode = measured.some(({ ok }) => ok === false) ? 1 : 0;

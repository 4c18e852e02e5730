import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const results = new URL('../results.json', import.meta.url);
const page = new URL('../../docs/benchmarks.md', import.meta.url);
const formatter = new URL('../../node_modules/.bin/oxfmt', import.meta.url);

/** Where and when a measurement was made. */
export function circumstances() {
  const cores = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${process.platform} ${process.arch}, ${cores.length} × ${cores[0]?.model.trim() || 'unnamed'}, ${memory} GiB, Node ${process.versions.node}`,
    load: Number(loadavg()[0].toFixed(1)),
  };
}

/** Puts new results over the kept ones of the same rows, and writes both `results.json` and the page made from it. */
export function keep(fresh, work) {
  const kept = new Map(readResults().map((result) => [result.row, result]));
  for (const result of fresh) kept.set(result.row, result);
  const all = [...kept.values()].sort((a, b) =>
    a.row.localeCompare(b.row, 'en', { numeric: true }),
  );
  writeFileSync(results, `${JSON.stringify(all, undefined, 2)}\n`);
  writeFileSync(page, toPage(all, work));
  spawnSync(fileURLToPath(formatter), [fileURLToPath(results), fileURLToPath(page)], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}

/** The results as a table for a terminal. */
export function toTable(all) {
  const rows = all.map((result) => [
    result.row,
    verdict(result),
    `${result.ratio ?? '–'}`,
    `${result.bar}`,
    `${result.target}`,
    times(result),
    result.attempts?.length > 1 ? `attempts ${result.attempts.join(', ')}` : (result.reason ?? ''),
  ]);
  const head = ['row', '', 'ratio', 'bar', 'target', 'ours / anchor', ''];
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column].split('\n')[0].length)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function readResults() {
  return existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : [];
}

function verdict({ ok }) {
  if (ok === null) return 'not measured';
  return ok ? 'ok' : 'missed';
}

function times({ ours, anchor, unit }) {
  if (ours === null) return '';
  return anchor === null ? `${ours} ${unit}` : `${ours} / ${anchor} ${unit}`;
}

function toPage(all, work) {
  const lines = all.map((result) => {
    const shown = [result.ratio ?? '–', result.bar, result.target];
    const of = `${result.of.ours}${result.of.anchor === undefined ? '' : ` : ${result.of.anchor}`}`;
    const cells = [result.row, of, ...shown, verdict(result), times(result), result.date];
    return `| ${cells.join(' | ')} |`;
  });
  const machines = [...new Set(all.map(({ machine }) => machine))];
  const reasons = all
    .filter(({ ok, reason }) => ok === null && reason !== undefined)
    .map(({ row, reason }) => `- ${row} was not measured: ${reason}`);
  return `# Benchmarks

Each row is a ratio: the time of ours over the time of an anchor, a real peer or the bare operation, measured in turn in the same
run (a row in MiB or ms is that value itself). Below 1 is faster. **Bar** is what must hold, **target** where we want to be. Results are
compared before times count. A bar is missed when two of three attempts miss it.

This page is written by \`pnpm bench\` from \`bench/results.json\`: do not edit it.

| row | ours : anchor | ratio | bar | target | | ours / anchor | date |
| --- | --- | --- | --- | --- | --- | --- | --- |
${lines.join('\n')}

${[...work].map(([row, text]) => `- ${row}: ${text}`).join('\n')}

${reasons.join('\n')}

Measured on ${machines.join('; ')}.

## Repeat it

\`\`\`sh
pnpm bench          # every row
pnpm bench K1 U1    # some rows; the others keep their last results
\`\`\`

The first run installs the peers into \`bench/node_modules\` (never part of the workspace) and builds the packages. Ratios move by some 15 %
between runs; on a machine that does other work, by more. How to add a row: [bench/README.md](../bench/README.md).
`;
}

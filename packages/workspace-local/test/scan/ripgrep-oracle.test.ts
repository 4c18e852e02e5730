import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GrepRequest } from '@toolwright/core';
import { rgPath } from '@vscode/ripgrep';
import { afterAll, expect, test } from 'vitest';
import { localWorkspace } from '../../src/local-workspace.ts';

/** This repository: a real tree with real ignore files. */
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const tree = 'packages/core/src';
const queries = process.env['TOOLWRIGHT_LONG'] === '1' ? 3000 : 300;

const workspace = localWorkspace(root);
afterAll(async () => workspace.close());

interface Query {
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
}

/** Matching lines as `path:line`, sorted by path. */
function ripgrep(query: Query): string[] {
  const fixed =
    '--no-config --hidden --no-ignore-dot --no-ignore-messages --crlf --sort=path --line-number --no-heading --null --color=never --glob=!.git';
  const flags = fixed.split(' ');
  if (query.literal) flags.push('--fixed-strings');
  flags.push(query.ignoreCase ? '--ignore-case' : '--case-sensitive');
  if (query.multiline) flags.push('--multiline');
  const { stdout, status, stderr } = spawnSync(rgPath, [...flags, '-e', query.pattern, tree], {
    cwd: root,
    maxBuffer: 1 << 28,
  });
  if (status === 2) throw new Error(stderr.toString());
  return stdout
    .toString()
    .split('\n')
    .flatMap((row) => {
      const match = /^([^\0]+)\0(\d+):/.exec(row);
      return match === null ? [] : [`${match[1]}:${match[2]}`];
    });
}

async function ours(query: Query, gather: GrepRequest['gather']): Promise<string[] | number> {
  const outcome = await workspace.search?.grep({
    pattern: query.pattern,
    literal: query.literal,
    caseSensitive: !query.ignoreCase,
    multiline: query.multiline,
    path: tree,
    hidden: true,
    ignore: true,
    gather,
    context: 0,
    limit: 1_000_000,
    timeoutMs: 60_000,
  });
  if (outcome === undefined) throw new TypeError('no search');
  expect(outcome.notSearched).toEqual([]);
  if (gather === 'counts') return outcome.matchingLines;
  return outcome.files.flatMap(({ path, lines }) => lines.map(({ line }) => `${path}:${line}`));
}

/** A small generator of its own, so that a failing query can be named by its seed. */
function randomSource(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const text = [
  'index.ts',
  'kernel/invoke.ts',
  'paging/page.ts',
  'workspace/search.ts',
  'errors/tool-error.ts',
]
  .map((file) => readFileSync(join(root, tree, file), 'utf8'))
  .join('\n');
const words = [...new Set(text.match(/[A-Za-z_]{3,}/g))];
const lines = text.split('\n').filter((line) => line.length > 8);

function randomQuery(random: (below: number) => number): Query {
  const word = () => words[random(words.length)] ?? 'the';
  const ignoreCase = random(4) === 0;
  if (random(3) === 0) {
    const line = lines[random(lines.length)] ?? '';
    const start = random(line.length - 4);
    const pattern = line.slice(start, start + 2 + random(14));
    return { pattern, literal: true, ignoreCase, multiline: false };
  }
  const [a, b] = [word(), word()];
  const shapes = [
    `\\b${a}\\b`,
    `${a.slice(0, 3)}\\w+`,
    `\\w+${a.slice(-3)}\\b`,
    `${a}|${b}`,
    `(${a}|${b.slice(0, 2)})[(:;]`,
    `${a}.*${b}`,
    `^\\s*${a}`,
    `${a.slice(-2)}[,;]?$`,
    `[A-Z]${a.slice(1, 3)}[a-z]{2,}`,
    `[^a-z ]${a.slice(0, 2)}`,
    `(${a.slice(0, 1)}+${a.slice(1, 2)})+`,
    `\\b[a-z]{3}[A-Z]\\w*\\(`,
    `\\d+[_.]\\d+`,
    `'[^']{${random(6)},9}'`,
    `^$`,
    `^.{${60 + random(60)},}$`,
    `\\p{Lu}{2,}_?`,
    `(?i:${a})\\W`,
    `\\s+$`,
    `${a}?${b.slice(0, 1)}*?${b.slice(1)}`,
  ];
  const multiline = random(8) === 0;
  const pattern = multiline
    ? `${a.slice(-2)}[^a]*\\n\\s*${b.slice(0, 1)}`
    : shapes[random(shapes.length)];
  return { pattern: pattern ?? a, literal: false, ignoreCase, multiline };
}

test(`agrees with ripgrep on ${queries} random queries over a real tree`, async () => {
  const random = randomSource(20_261_130);
  let found = 0;
  for (let i = 0; i < queries; i += 1) {
    const query = randomQuery(random);
    const expected = ripgrep(query);
    const name = JSON.stringify(query);
    expect({ name, rows: await ours(query, 'lines') }).toEqual({ name, rows: expected });
    const counted = i % 10 === 0 ? await ours(query, 'counts') : expected.length;
    expect({ name, counted }).toEqual({ name, counted: expected.length });
    found += expected.length;
  }
  // The queries are not about nothing.
  expect(found).toBeGreaterThan(queries);
}, 600_000);

import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadShellGrammar } from '../../src/shell/parse-shell.ts';
import { analyseShell } from '../../src/shell/shell-analysis.ts';

const grammar = await loadShellGrammar();
const runs = process.env['TOOLWRIGHT_LONG'] === undefined ? 200 : 40_000;

/** Commands that only note that they ran. */
const stubs = ['ca', 'cb', 'cc'];

let base: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tw-fuzz-'));
  mkdirSync(join(base, 'bin'));
  for (const name of stubs) {
    const path = join(base, 'bin', name);
    writeFileSync(path, `#!/bin/sh\necho ${name} >> "$RAN"\necho cb\n`);
    chmodSync(path, 0o755);
  }
  for (const name of ['env', 'timeout', 'nohup'])
    symlinkSync(`/usr/bin/${name}`, join(base, 'bin', name));
});

afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 20 }));

/** Runs a script in bash and tells which stubs ran and which files it wrote. */
async function observe(source: string): Promise<{ ran: string[]; wrote: string[] }> {
  const directory = mkdtempSync(join(base, 'run-'));
  const cwd = join(directory, 'cwd');
  mkdirSync(join(cwd, 'd'), { recursive: true });
  const ran = join(directory, 'ran');
  writeFileSync(ran, '');
  await new Promise<void>((resolve) => {
    const child = execFile(
      '/bin/bash',
      ['--norc', '-c', '--', source],
      { cwd, env: { PATH: join(base, 'bin'), RAN: ran }, timeout: 2_000, killSignal: 'SIGKILL' },
      () => resolve(),
    );
    child.stdin?.end();
  });
  const wrote = readdirSync(cwd, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name !== 'd',
  );
  const names = readFileSync(ran, 'utf8')
    .trim()
    .split('\n')
    .filter((name) => name !== '');
  // A child in the background may still be writing.
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
  return { ran: [...new Set(names)], wrote };
}

const tokens: readonly (readonly string[])[] = [
  ['ca', 'ca', 'cb', 'cc', 'ca x', ' ', ' ', '\n', ';', ';', '&', '&&', '||', '|', '|&', '!'],
  ['(', ')', '{ ', ' }', '; }', '$(', '`', '"', "'", "$'", '$"', '\\', '#', '\t', '\r', 'é'],
  ['>f', '>> g', '>&f', '&>g', '<f', '<<E\n', '\nE\n', '<<<', '2>&1', '>|h', '>(', '<('],
  [
    'if ',
    ' then ',
    ' else ',
    ' fi ',
    'case x in ',
    'x)',
    ';;',
    ' esac ',
    'for x in ',
    ' do ',
    ' done ',
  ],
  [
    'x=',
    'x=ca',
    '$x',
    '${x}',
    '${x:-',
    '}',
    '${x/',
    '$((',
    '))',
    '((',
    '[[ ',
    ' ]]',
    '[',
    ']',
    '*',
    '?',
  ],
  [
    'eval ',
    "bash -c '",
    'sh -c ca',
    'env ',
    'command ',
    'exec ',
    'timeout 1 ',
    'nohup ',
    'trap ca EXIT',
    'cd d',
  ],
  [
    '~',
    '-',
    '=',
    'a[',
    '+=',
    '1',
    '<',
    '>',
    'coproc ',
    'time ',
    'until false; do ',
    'alias ',
    '{ca,cb}',
  ],
];

const token = fc.constantFrom(...tokens.flat());

/** Scripts that are nearly well-formed: pieces nested in each other, now and then broken by a token. */
const { script } = fc.letrec<{ script: string; word: string; command: string }>((tie) => ({
  word: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('ca', 'x', '$x', '"a b"', "'#'", '\\(', '${x:-y}', '*', '~', '{a,b}', 'cb#'),
    fc.oneof(tie('script'), tie('command')).map((inner) => `$(${inner})`),
    tie('command').map((inner) => `\`${inner}\``),
    fc.tuple(tie('word'), tie('word')).map((words) => words.join('')),
    tie('word').map((inner) => `"${inner}"`),
    tie('word').map((inner) => `\${x:-${inner}}`),
    token,
  ),
  command: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(
      'ca',
      'cb x',
      'cc >f',
      'x=1',
      'x=ca',
      'cd d',
      ':',
      'read x',
      'cat <<E\n`ca`\nE\n',
    ),
    fc
      .tuple(
        fc.constantFrom(...stubs, 'env', 'eval', ': ', 'x=1', 'command'),
        tie('word'),
        tie('word'),
      )
      .map((parts) => parts.join(' ')),
    fc
      .tuple(
        tie('command'),
        fc.constantFrom('>f', '>>g', '2>h', '<f', '&>g', '>&f', '<<<x', '2>&1'),
      )
      .map((parts) => parts.join(' ')),
    tie('script').map((inner) => `{ ${inner}\n}`),
    tie('script').map((inner) => `(${inner})`),
    tie('script').map((inner) => `if ${inner}\nthen ca; fi`),
    fc
      .tuple(tie('word'), tie('script'))
      .map(([word, inner]) => `for x in ${word}; do ${inner}\ndone`),
    fc
      .tuple(tie('word'), tie('word'), tie('script'))
      .map(([word, pattern, inner]) => `case ${word} in ${pattern}) ${inner};; esac`),
    tie('script').map((inner) => `sh -c '${inner}'`),
    tie('script').map((inner) => `trap '${inner}' EXIT`),
  ),
  script: fc
    .tuple(
      tie('command'),
      fc.constantFrom('; ', '\n', ' && ', ' || ', ' | ', ' & '),
      tie('command'),
    )
    .map((parts) => parts.join('')),
}));

it.each([
  ['tokens', fc.array(token, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''))],
  ['scripts', script],
])(
  'never misses what bash does: %s',
  async (_, sources) => {
    await fc.assert(
      fc.asyncProperty(sources, async (source) => {
        const analysis = analyseShell(grammar, source);
        if (analysis.unclear.length > 0) return;
        const { ran, wrote } = await observe(source);
        const known = new Set(analysis.commands.flatMap((command) => command.split(/[^a-z]+/)));
        expect(ran.filter((name) => !known.has(name))).toEqual([]);
        expect(wrote.filter((name) => !analysis.writes.includes(name))).toEqual([]);
      }),
      { numRuns: runs },
    );
  },
  3_600_000,
);

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parsePatch } from '../../src/patch/parse.ts';
import { planPatch, type FileState } from '../../src/patch/plan.ts';

const long = process.env['TOOLWRIGHT_LONG'] === '1';
const filesPerTree = 10;

/** Lines that are easily taken for something else, or for each other. */
const line = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'c', '}', '  x', '\tx', 'a ', '中文 – é', '\u{1F600}'),
  fc.constantFrom('-- note', '++ b/x', '@@ -1 +1 @@', 'diff --git a/x b/x', '\\ No newline', '-- '),
  fc.constantFrom('--- a/x', '+++ b/x', '*** End Patch', 'new file mode 100755', '\uFEFFmark'),
  fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', ' ', '-', '+', '"') }),
);
const ending = fc.constantFrom('lf', 'crlf', 'mixed');

interface Pair {
  readonly before: string | null;
  readonly after: string | null;
  readonly executable: boolean;
}

const lines = fc.array(fc.record({ text: line, crlf: fc.boolean() }), { maxLength: 40 });

const pair: fc.Arbitrary<Pair> = fc
  .record({
    lines,
    edits: fc.array(
      fc.record({
        at: fc.nat({ max: 40 }),
        remove: fc.nat({ max: 4 }),
        insert: fc.array(fc.record({ text: line, crlf: fc.boolean() }), { maxLength: 4 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    ending,
    mark: fc.boolean(),
    finalBefore: fc.boolean(),
    finalAfter: fc.boolean(),
    kind: fc.constantFrom('modify', 'modify', 'modify', 'modify', 'create', 'delete'),
    executable: fc.boolean(),
  })
  .map((spec) => {
    const after = [...spec.lines];
    for (const edit of spec.edits) {
      after.splice(Math.min(edit.at, after.length), edit.remove, ...edit.insert);
    }
    const join = (parts: typeof after, final: boolean): string => {
      const text = parts
        .map((part) => part.text + (spec.ending === 'crlf' || (spec.ending === 'mixed' && part.crlf) ? '\r\n' : '\n'))
        .join('');
      return (spec.mark ? '\uFEFF' : '') + (final ? text : text.replace(/\r?\n$/u, ''));
    };
    return {
      before: spec.kind === 'create' ? null : join(spec.lines, spec.finalBefore),
      after: spec.kind === 'delete' ? null : join(after, spec.finalAfter),
      executable: spec.executable,
    };
  });

const tree = fc.array(pair, { minLength: filesPerTree, maxLength: filesPerTree });
const flags = fc.constantFrom([], ['-U0'], ['-U1'], ['--no-prefix'], ['--minimal'], ['-M', '-C', '--find-copies-harder'], ['--patience']);

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'toolwright-git-apply-'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

test('the same bytes as git apply, for the diffs that git makes of random trees', () => {
  fc.assert(
    fc.property(tree, flags, (pairs, options) => {
      const names = pairs.map((_, index) => (index % 3 === 0 ? `dir ${index}/ä"${index}.txt` : `f${index}.txt`));
      const work = join(root, 'work');
      const bare = join(root, 'bare');
      for (const folder of [work, bare]) {
        rmSync(folder, { recursive: true, force: true });
        writeTree(folder, names, pairs.map(({ before }) => entryOf(before, false)));
      }
      git(work, ['init', '-q']);
      git(work, ['add', '-A']);
      for (const name of names) rmSync(join(work, name), { force: true });
      writeTree(work, names, pairs.map(({ after, executable }) => entryOf(after, executable)));
      git(work, ['add', '-AN']);
      const diff = git(work, ['diff', '--text', ...options]);
      if (diff === '') return;
      git(bare, ['apply', ...(options.includes('-U0') ? ['--unidiff-zero'] : []), ...(options.includes('--no-prefix') ? ['-p0'] : []), '-'], diff);
      const expected = readTree(bare);
      const states = new Map<string, FileState | null>();
      for (const [index, name] of names.entries()) {
        const before = pairs[index]?.before ?? null;
        states.set(name, before === null ? null : { text: before, executable: false, encodedAs: name });
      }
      for (const { path, after } of planPatch(parsePatch(diff), states).changes) states.set(path, after);
      const actual = [...states].flatMap(([path, state]) => state === null ? [] : [[path, { text: state.text, executable: state.executable }] as const]);
      expect(Object.fromEntries(actual)).toEqual(expected);
    }),
    { numRuns: long ? 60 : 8, seed: long ? 20_261_130 : 4 },
  );
}, 300_000);

interface Entry {
  readonly text: string;
  readonly executable: boolean;
}

function entryOf(text: string | null, executable: boolean): Entry | null {
  return text === null ? null : { text, executable };
}

function writeTree(folder: string, names: readonly string[], entries: readonly (Entry | null)[]): void {
  mkdirSync(folder, { recursive: true });
  for (const [index, name] of names.entries()) {
    const entry = entries[index];
    if (entry === undefined || entry === null) continue;
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), entry.text);
    chmodSync(join(folder, name), entry.executable ? 0o755 : 0o644);
  }
}

function readTree(folder: string): Record<string, Entry> {
  const entries: [string, Entry][] = [];
  for (const item of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!item.isFile()) continue;
    const path = join(item.parentPath, item.name);
    entries.push([path.slice(folder.length + 1), { text: readFileSync(path, 'utf8'), executable: (statSync(path).mode & 0o100) !== 0 }]);
  }
  return Object.fromEntries(entries);
}

function git(cwd: string, args: readonly string[], input?: string): string {
  return execFileSync('git', ['-c', 'core.autocrlf=false', '-c', 'core.safecrlf=false', ...args], {
    cwd,
    input: input ?? '',
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CEILING_DIRECTORIES: root, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
}

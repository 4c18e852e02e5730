import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uneditedText } from '../../src/patch/edited-text.ts';
import { parsePatch } from '../../src/patch/parse.ts';
import { planPatch, type FileState } from '../../src/patch/plan.ts';

const long = process.env['TOOLWRIGHT_LONG'] === '1';
const filesPerTree = 10;

interface Line {
  readonly text: string;
  readonly crlf: boolean;
}

interface Entry {
  readonly text: string;
  readonly executable: boolean;
}

/** A file before and after; null where it is not there. */
interface Pair {
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** Lines that are easily taken for something else, or for each other. */
const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'c', '}', '  x', '\tx', 'a ', '中文 – é', '\u{1F600}'),
  fc.constantFrom('-- note', '++ b/x', '@@ -1 +1 @@', 'diff --git a/x b/x', '\\ No newline'),
  fc.constantFrom('-- ', '--- a/x', '+++ b/x', '*** End Patch', 'new file mode 100755', '\uFEFFx'),
  fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', ' ', '-', '+', '"') }),
);
const line: fc.Arbitrary<Line> = fc.record({ text, crlf: fc.boolean() });

function pairs(endings: readonly ('lf' | 'crlf' | 'mixed')[]): fc.Arbitrary<readonly Pair[]> {
  const edit = fc.record({
    at: fc.nat({ max: 40 }),
    remove: fc.nat({ max: 4 }),
    insert: fc.array(line, { maxLength: 4 }),
  });
  const pair = fc.record({
    lines: fc.array(line, { maxLength: 40 }),
    edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
    ending: fc.constantFrom(...endings),
    mark: fc.boolean(),
    finalBefore: fc.boolean(),
    finalAfter: fc.boolean(),
    kind: fc.constantFrom('modify', 'modify', 'modify', 'modify', 'create', 'delete'),
    executable: fc.boolean(),
  });
  return fc.array(pair.map(toPair), { minLength: filesPerTree, maxLength: filesPerTree });

  function toPair(spec: PairSpec): Pair {
    const changed = [...spec.lines];
    for (const { at, remove, insert } of spec.edits) {
      changed.splice(Math.min(at, changed.length), remove, ...insert);
    }
    const toText = (lines: readonly Line[], final: boolean): string => {
      const ends = (crlf: boolean): string =>
        spec.ending === 'crlf' || (spec.ending === 'mixed' && crlf) ? '\r\n' : '\n';
      const whole = lines.map((part) => part.text + ends(part.crlf)).join('');
      return (spec.mark ? '\uFEFF' : '') + (final ? whole : whole.replace(/\r?\n$/u, ''));
    };
    return {
      before:
        spec.kind === 'create'
          ? null
          : { text: toText(spec.lines, spec.finalBefore), executable: false },
      after:
        spec.kind === 'delete'
          ? null
          : { text: toText(changed, spec.finalAfter), executable: spec.executable },
    };
  }
}

interface PairSpec {
  readonly lines: readonly Line[];
  readonly edits: readonly {
    readonly at: number;
    readonly remove: number;
    readonly insert: readonly Line[];
  }[];
  readonly ending: 'lf' | 'crlf' | 'mixed';
  readonly mark: boolean;
  readonly finalBefore: boolean;
  readonly finalAfter: boolean;
  readonly kind: string;
  readonly executable: boolean;
}

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'toolwright-git-apply-'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

test('the same bytes as git apply for the diffs that git makes of random trees', () => {
  const flags = fc.constantFrom<readonly string[]>(
    [],
    ['-U1'],
    ['--no-prefix'],
    ['--patience'],
    ['-M', '-C', '--find-copies-harder'],
  );
  fc.assert(
    fc.property(pairs(['lf', 'crlf', 'mixed']), flags, (tree, options) => {
      const strip = options.includes('--no-prefix') ? ['-p0'] : [];
      const { planned, applied } = applyBoth(tree, { diff: options, apply: strip });
      expect(planned).toEqual(applied);
    }),
    { numRuns: long ? 60 : 8, seed: 20_261_130 },
  );
}, 300_000);

test('the same bytes as git apply for diffs without context, where no line shows the endings', () => {
  fc.assert(
    fc.property(pairs(['lf', 'crlf']), (tree) => {
      const { planned, applied } = applyBoth(tree, { diff: ['-U0'], apply: ['--unidiff-zero'] });
      expect(planned).toEqual(applied);
    }),
    { numRuns: long ? 20 : 3, seed: 20_261_130 },
  );
}, 300_000);

/** The tree that the engine plans, and the one that git makes, for git's own diff. */
function applyBoth(
  tree: readonly Pair[],
  options: { readonly diff: readonly string[]; readonly apply: readonly string[] },
): Readonly<Record<'planned' | 'applied', Record<string, Entry>>> {
  const names = tree.map((_, index) => (index % 3 === 0 ? `d ${index}/ä"\t.txt` : `f${index}.txt`));
  const work = join(root, 'work');
  const bare = join(root, 'bare');
  for (const folder of [work, bare]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const [index, name] of names.entries())
      writeEntry(join(folder, name), tree[index]?.before);
  }
  git(work, ['init', '-q']);
  git(work, ['add', '-A']);
  for (const [index, name] of names.entries()) {
    rmSync(join(work, name), { force: true });
    writeEntry(join(work, name), tree[index]?.after);
  }
  git(work, ['add', '-AN']);
  const diff = git(work, ['diff', '--text', ...options.diff]);
  if (diff !== '') git(bare, ['apply', ...options.apply, '-'], diff);

  const states = new Map<string, FileState | null>();
  for (const [index, origin] of names.entries()) {
    const before = tree[index]?.before ?? null;
    states.set(
      origin,
      before === null ? null : { content: uneditedText(before.text), executable: false, origin },
    );
  }
  const changes = diff === '' ? [] : planPatch(parsePatch(diff), states).changes;
  for (const { path, after } of changes) states.set(path, after);
  const planned: Record<string, Entry> = {};
  for (const [path, state] of states) {
    if (state !== null) planned[path] = { text: state.content.text, executable: state.executable };
  }
  return { planned, applied: readTree(bare) };
}

function writeEntry(path: string, entry: Entry | null | undefined): void {
  if (entry === null || entry === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, entry.text);
  chmodSync(path, entry.executable ? 0o755 : 0o644);
}

function readTree(folder: string): Record<string, Entry> {
  const entries: Record<string, Entry> = {};
  for (const item of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!item.isFile()) continue;
    const path = join(item.parentPath, item.name);
    entries[path.slice(folder.length + 1)] = {
      text: readFileSync(path, 'utf8'),
      executable: (statSync(path).mode & 0o100) !== 0,
    };
  }
  return entries;
}

/** Runs git with nobody's configuration. */
function git(cwd: string, args: readonly string[], input = ''): string {
  return execFileSync('git', ['-c', 'core.autocrlf=false', '-c', 'core.safecrlf=false', ...args], {
    cwd,
    input,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CEILING_DIRECTORIES: root,
      LC_ALL: 'C',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
}

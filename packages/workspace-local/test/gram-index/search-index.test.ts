import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { gramQuery } from '../../src/gram-index/gram-query.ts';
import { SearchIndex } from '../../src/gram-index/search-index.ts';
import { createSearchPlan } from '../../src/scan/search-plan.ts';
import { asOrdinaryUser } from '../../../../test-support/ordinary-user.ts';
import { openBoth as openBothOn } from './open-both.ts';
import {
  bytesArbitrary,
  changeArbitrary,
  make,
  pathArbitrary,
  put as putInto,
  words,
} from './tree-changes.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 1000 : 25;

/** However loaded the machine is, no question is left unanswered for want of time. */
const patient = { settleMs: 60_000 };

let root = '';
let outside = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'index-')));
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'index-outside-')));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
  rmSync(outside, { recursive: true, force: true });
});

const put = (path: string, content: string | Uint8Array) => putInto(root, path, content);
const openBoth = (index: SearchIndex) => openBothOn(root, index);

const queryArbitrary = fc.record({
  pattern: fc.constantFrom(
    'needle',
    'need',
    'nee',
    'hayst?ack',
    'xyzzy|straße',
    '东京',
    'e\\n.*ee',
  ),
  caseSensitive: fc.boolean(),
  path: fc.constantFrom('', '', 'a', 'a/b', 'f'),
  include: fc.constantFrom(undefined, undefined, '*.ts', 'a/**', '!*.log', '.e'),
});

/** The kernel of other systems does not tell at once: there is no index. */
describe.runIf(process.platform === 'linux')('an index of the tree', () => {
  test('says what a scan says, whatever happens to the tree', async () => {
    let asked = 0;
    let answered = 0;
    const step = fc.tuple(fc.array(changeArbitrary, { maxLength: 5 }), queryArbitrary);
    const property = fc.asyncProperty(
      fc.array(fc.tuple(pathArbitrary, bytesArbitrary), { maxLength: 10 }),
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (files, steps, isFilled) => {
        for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
        mkdirSync(join(root, '.git/info'), { recursive: true });
        for (const [path, bytes] of files) make(root, outside, { kind: 'write', path, bytes });
        const index = new SearchIndex(root, patient);
        const both = openBoth(index);
        if (isFilled) await index.filled();
        try {
          for (const [changes, { pattern, caseSensitive, path, include }] of steps) {
            for (const change of changes) make(root, outside, change);
            if (!existsSync(join(root, path)) || !statSync(join(root, path)).isDirectory())
              continue;
            await both.agree(pattern, {
              caseSensitive,
              path,
              multiline: pattern.includes('\\n'),
              ...(include === undefined ? {} : { include }),
            });
            await both.agreeOnWalk({ path, ...(include === undefined ? {} : { include }) });
          }
        } finally {
          await both.close();
        }
        asked += both.counts.asked;
        answered += both.counts.answered;
      },
    );
    await fc.assert(property, { numRuns, seed: 20_261_130 });
    // It is the index that was tested: it may pass only while it walks, and below what is ignored.
    expect(answered).toBeGreaterThan(asked / 2);
  });

  test('leaves out files that hold no match, and finds what another process wrote at once', async () => {
    for (let i = 0; i < 200; i += 1) put(`d${i % 10}/f${i}`, `content of file number ${i}\n`);
    const index = new SearchIndex(root, patient);
    const both = openBoth(index);
    await index.filled();
    expect(await both.agree('number 77')).toEqual(['d7/f77']);
    expect(both.counts.answered).toBe(1);
    expect(both.counts.candidates).toBeLessThan(40);
    for (let i = 0; i < 8; i += 1) {
      const word = `quokka${i}`;
      spawnSync('sh', ['-c', `echo ${word} >> d3/f3; mkdir -p n${i}/m; echo ${word} > n${i}/m/x`], {
        cwd: root,
      });
      expect(await both.agree(word)).toEqual(['d3/f3', `n${i}/m/x`]);
    }
    expect(both.counts.answered).toBe(9);
    await both.close();
  });

  test('takes files that it could not read again yet for candidates', async () => {
    const paths = Array.from({ length: 900 }, (_, i) => `f${String(i).padStart(3, '0')}`);
    for (const path of paths) put(path, 'first\n');
    const index = new SearchIndex(root, patient);
    const both = openBoth(index);
    await index.filled();
    expect(await both.agree('second')).toEqual([]);
    for (const path of paths) put(path, 'second\n');
    expect(await both.agree('second')).toEqual(paths);
    expect(both.counts.answered).toBe(2);
    await both.close();
  });

  test('reads files with a further name anew for every search', async () => {
    put('a', 'first\n');
    linkSync(join(root, 'a'), join(outside, 'other'));
    const index = new SearchIndex(root, patient);
    const both = openBoth(index);
    await index.filled();
    expect(await both.agree('second')).toEqual([]);
    // No directory of the tree is told of this.
    writeFileSync(join(outside, 'other'), 'second\n');
    expect(await both.agree('second')).toEqual(['a']);
    expect(both.counts.answered).toBe(2);
    await both.close();
  });

  test('finds in its timed pass what the kernel told nobody of', async () => {
    put('a', 'first\n');
    put('b', 'other\n');
    let now = 0;
    const index = new SearchIndex(root, { ...patient, now: () => now });
    const both = openBoth(index);
    const asked = { start: '', include: undefined, exclude: undefined, hidden: true };
    const rowsFor = async (pattern: string) => {
      const { required } = createSearchPlan({
        pattern,
        literal: true,
        caseSensitive: true,
        multiline: false,
      });
      return (await index.candidates({ ...asked, grams: gramQuery(required) ?? [] }))?.rows.length;
    };
    await index.filled();
    linkSync(join(root, 'a'), join(outside, 'a'));
    // No directory of the tree is told of what happens under the other name.
    writeFileSync(join(outside, 'a'), 'second\n');
    now += 29_000;
    expect(await rowsFor('second')).toBe(0);
    await index.filled();
    expect(await rowsFor('second')).toBe(0);
    now += 2000;
    // Something else was read just before.
    put('b', 'more\n');
    expect(await rowsFor('xyzzy')).toBeDefined();
    await index.filled();
    expect(await both.agree('second')).toEqual(['a']);
    expect(await rowsFor('first')).toBe(1);
    await both.close();
  });

  test('begins anew when more happened than the kernel keeps', async () => {
    put('a/x', 'needle\n');
    const index = new SearchIndex(root, patient);
    const both = openBoth(index);
    await index.filled();
    // 16,384 events are kept; the last ones, those of b, are lost.
    for (let i = 0; i < 9000; i += 1) {
      put(`a/y${i % 2}`, '');
      renameSync(join(root, `a/y${i % 2}`), join(root, `a/z${i % 2}`));
    }
    put('b/x', 'needle\n');
    expect(await both.agree('needle')).toEqual(['a/x', 'b/x']);
    expect(both.counts.answered).toBe(0);
    await index.filled();
    expect(await both.agree('needle')).toEqual(['a/x', 'b/x']);
    expect(both.counts.answered).toBe(1);
    await both.close();
  });

  test('begins anew when the root itself is another directory', async () => {
    put('a', 'needle\n');
    const index = new SearchIndex(root, patient);
    const both = openBoth(index);
    await index.filled();
    rmSync(root, { recursive: true });
    put('b', 'needle\n');
    expect(await both.agree('needle')).toEqual(['b']);
    await both.close();
  });

  test('follows directories that move, and those that another takes the place of', async () => {
    put('a/x', 'needle\n');
    put('c/d/x', 'needle\n');
    const index = new SearchIndex(root, patient);
    const both = openBoth(index);
    await index.filled();
    renameSync(join(root, 'a'), join(root, 'b'));
    expect(await both.agree('needle')).toEqual(['b/x', 'c/d/x']);
    rmSync(join(root, 'c'), { recursive: true });
    put('c/d/x', 'haystack\n');
    expect(await both.agree('needle')).toEqual(['b/x']);
    await index.filled();
    put('b/x', 'xyzzy\n');
    put('c/d/x', 'xyzzy\n');
    expect(await both.agree('xyzzy')).toEqual(['b/x', 'c/d/x']);
    rmSync(join(root, 'c/d'), { recursive: true });
    put('c/d', 'xyzzy\n');
    expect(await both.agree('xyzzy')).toEqual(['b/x', 'c/d']);
    expect(both.counts.answered).toBe(4);
    await both.close();
  });

  test('tells of directories that it may not list, as a walk does', async () => {
    put('a/x', 'needle\n');
    put('b/closed/x', 'needle\n');
    chmodSync(root, 0o755);
    chmodSync(join(root, 'b/closed'), 0);
    const index = new SearchIndex(root, patient);
    const both = openBoth(index);
    await asOrdinaryUser(async () => {
      await index.filled();
      expect(await both.agree('needle')).toEqual(['a/x']);
      const unread = [{ path: 'b/closed', reason: 'permission' }];
      expect(await both.agreeOnWalk({})).toMatchObject({ unread });
      expect(await both.agreeOnWalk({ include: 'a/**' })).toMatchObject({ unread: [] });
      expect(await both.agreeOnWalk({ path: 'b' })).toMatchObject({ entries: [], unread });
    });
    expect(both.counts.answered).toBe(4);
    chmodSync(join(root, 'b/closed'), 0o755);
    expect(await both.agree('needle')).toEqual(['a/x', 'b/closed/x']);
    expect(both.counts.answered).toBe(5);
    await both.close();
  });

  test('has names that are no UTF-8 once, as a walk does', async () => {
    const raw = (name: string) => Buffer.from(join(root, name), 'latin1');
    for (const name of ['bad\u00fe', 'bad\u00ff']) writeFileSync(raw(name), 'needle\n');
    for (const name of ['dir\u00fe', 'dir\u00ff']) mkdirSync(raw(name));
    writeFileSync(raw('dir\u00ff/x'), 'needle\n');
    put('ok', 'needle\n');
    const index = new SearchIndex(root, patient);
    const both = openBoth(index);
    await index.filled();
    expect(await both.agree('needle')).toEqual(['ok']);
    expect(await both.agreeOnWalk({})).toEqual({
      entries: [
        { path: 'bad\ufffd', kind: 'file' },
        { path: 'ok', kind: 'file' },
      ],
      unread: [{ path: 'dir\ufffd', reason: 'gone' }],
    });
    expect(both.counts.answered).toBe(2);
    await both.close();
  });

  test('follows rules that stand outside of the tree', async () => {
    const top = root;
    mkdirSync(join(top, '.git/info'), { recursive: true });
    put('inner/x.log', 'needle\n');
    put('inner/y', 'needle\n');
    root = join(top, 'inner');
    const index = new SearchIndex(root, patient);
    const both = openBoth(index);
    await index.filled();
    const steps: readonly (readonly [string, string, readonly string[]])[] = [
      ['.git/info/exclude', '*.log\n', ['y']],
      ['.gitignore', '!*.log\n', ['x.log', 'y']],
      ['.gitignore', 'y\n', []],
      ['.git/info/exclude', '\n', ['x.log']],
    ];
    for (const [path, rules, expected] of steps) {
      writeFileSync(join(top, path), rules);
      expect(await both.agree('needle')).toEqual(expected);
    }
    expect(both.counts.answered).toBe(4);
    await both.close();
    root = top;
  });

  test('keeps within its bounds, and gives up beyond them', async () => {
    for (let i = 0; i < 30; i += 1) put(`d${i}/f`, `needle ${i}\n`);
    for (const limits of [
      { maxFiles: 20 },
      { maxDirectories: 20 },
      { maxPathUnits: 100 },
      { maxBytes: 0 },
    ]) {
      const index = new SearchIndex(root, { ...patient, ...limits });
      const both = openBoth(index);
      await index.filled();
      expect(await both.agree('needle 7')).toEqual(['d7/f']);
      expect(both.counts).toEqual({ asked: 1, answered: 0, candidates: 0 });
      expect(index.bytes).toBe(0);
      await both.close();
    }
  });

  test('is smaller than a tenth of the text, does not grow with changes, and ends', async () => {
    const text = (seed: number) =>
      Array.from({ length: 4000 }, (_, i) => `${words[i % 8] ?? ''}${(i * seed) % 7}`).join(' ');
    for (let i = 0; i < 200; i += 1) put(`f${i}`, text(i + 1));
    const index = new SearchIndex(root, patient);
    const both = openBoth(index);
    await index.filled();
    const total = readdirSync(root).reduce((sum, name) => sum + statSync(join(root, name)).size, 0);
    expect(index.bytes).toBeLessThan(Math.max(total / 10, 2 ** 20 + 1));
    expect(index.bytes).toBeGreaterThan(0);
    for (let round = 0; round < 8; round += 1) {
      for (let i = 0; i < 100; i += 1) put(`f${i}`, text(i + round));
      expect(await both.agree('quokka')).toEqual([]);
      await index.filled();
    }
    expect(index.bytes).toBeLessThan(Math.max(total / 5, 2 ** 21 + 1));
    await both.close();
    expect(index.bytes).toBe(0);
  });
});

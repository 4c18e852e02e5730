import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GrepRequest } from '@toolwright/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localWorkspace } from '../../src/local-workspace.ts';
import { asOrdinaryUser } from '../../../../test-support/ordinary-user.ts';
import { grepRequest } from './grep-request.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'search-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const put = (file: string, content: string | Uint8Array = 'K\n') => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
};

const grep = async (pattern: string, options: Partial<GrepRequest> = {}) => {
  const workspace = localWorkspace(root);
  try {
    if (workspace.search === undefined) throw new TypeError('no search');
    return await workspace.search.grep(grepRequest(pattern, options));
  } finally {
    await workspace.close();
  }
};

/** `path:line: text` of matches, `path-line- text` of context. */
const rows = async (pattern: string, options: Partial<GrepRequest> = {}) =>
  (await grep(pattern, options)).files.flatMap(({ path, lines }) =>
    lines.map(({ line, text, match }) =>
      match ? `${path}:${line}: ${text}` : `${path}-${line}- ${text}`,
    ),
  );

describe('grep', () => {
  test('GREP-001: a pattern that begins with a dash is a pattern', async () => {
    put('f', 'use --ctx-size 5\n-> ok\n');
    expect(await rows('--ctx-size|--n-predict')).toEqual(['f:1: use --ctx-size 5']);
    expect(await rows('-> ')).toEqual(['f:2: -> ok']);
    expect(await rows('-e')).toEqual([]);
    expect(await rows('--files')).toEqual([]);
  });

  test('GREP-002: the text of a line has no CR', async () => {
    put('f', 'needle\r\nhay\r\n');
    expect(await rows('needle$')).toEqual(['f:1: needle']);
    expect(await rows('^hay$')).toEqual(['f:2: hay']);
  });

  test('GREP-004: a name with a newline is one path', async () => {
    put('a\nb.txt', 'hit');
    const { files } = await grep('hit');
    expect(files.map(({ path }) => path)).toEqual(['a\nb.txt']);
  });

  test('GREP-020: a character split over the read buffer', async () => {
    for (const before of [65_535, (1 << 20) - 1, (1 << 20) - 2]) {
      put('f', `${'a'.repeat(before)}中\nneedle\n`);
      const { files } = await grep('中$');
      expect(files[0]?.lines.map(({ line }) => line)).toEqual([1]);
      expect(files[0]?.lines[0]?.text).toMatch(/^…a+中$/);
      expect(await rows('needle')).toEqual(['f:2: needle']);
    }
  });

  test('GREP-021: a broken link and an unreadable file do not void the search', async () => {
    put('a.txt', 'hit');
    put('b.txt', 'hit');
    chmodSync(join(root, 'b.txt'), 0);
    symlinkSync('nowhere', join(root, 'c'));
    chmodSync(root, 0o755);
    const outcome = await asOrdinaryUser(async () => grep('hit'));
    expect(outcome.files.map(({ path }) => path)).toEqual(['a.txt']);
    expect(outcome.notSearched).toEqual([{ path: 'b.txt', reason: 'permission' }]);
    await expect(grep('(')).rejects.toMatchObject({
      type: 'invalid_argument',
      reason: 'bad_pattern',
    });
  });

  test('PATH-007: a link out of the root is not searched, and neither is one inside', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    try {
      writeFileSync(join(outside, 'secret.txt'), 'TOKEN');
      symlinkSync(join(outside, 'secret.txt'), join(root, 'link.txt'));
      symlinkSync(outside, join(root, 'dir'));
      put('a', 'TOKEN');
      expect(await rows('TOKEN')).toEqual(['a:1: TOKEN']);
      await expect(grep('TOKEN', { path: 'link.txt' })).rejects.toMatchObject({
        reason: 'outside_workspace',
      });
      await expect(grep('TOKEN', { path: 'dir' })).rejects.toMatchObject({
        reason: 'outside_workspace',
      });
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test('READ-005: a FIFO among the files is passed over', async () => {
    put('logs/a.log', 'hit');
    execFileSync('mkfifo', [join(root, 'logs/live.pipe')]);
    expect(await rows('hit', { path: 'logs' })).toEqual(['logs/a.log:1: hit']);
  });

  test('credential files are as if they were not there, under every name', async () => {
    put('.env', 'TOKEN=1');
    put('sub/.env.local', 'TOKEN=2');
    put('a', 'TOKEN');
    put('node_modules/p/.env', 'TOKEN');
    linkSync(join(root, '.env'), join(root, 'b'));
    expect(await rows('TOKEN')).toEqual(['a:1: TOKEN', 'node_modules/p/.env:1: TOKEN']);
    expect((await grep('TOKEN')).matchingLines).toBe(2);
    await expect(grep('TOKEN', { path: '.env' })).rejects.toMatchObject({ reason: 'credential' });
  });

  test('context lines come once, in order', async () => {
    put('f', 'a\nx1\nb\nx2\nc\nd\ne\nf\nx3\n');
    expect(await rows('x', { context: 1 })).toEqual([
      'f-1- a',
      'f:2: x1',
      'f-3- b',
      'f:4: x2',
      'f-5- c',
      'f-8- f',
      'f:9: x3',
    ]);
    expect(await rows('x', { context: 20 })).toHaveLength(9);
  });

  test('pages by place join to the whole, in the order of paths', async () => {
    for (const name of ['b', 'a/x', 'a-b', 'c/d/e', '.h/i']) put(name, 'K 1\nno\nK 2\nK 3\n');
    const whole = await rows('K');
    expect(whole).toHaveLength(15);
    for (const limit of [1, 2, 4, 7]) {
      const joined: string[] = [];
      let after: GrepRequest['after'];
      for (let page = 0; page < 20; page += 1) {
        const outcome = await grep('K', { limit, ...(after === undefined ? {} : { after }) });
        expect(outcome.matchingLines).toBe(15);
        for (const { path, lines } of outcome.files) {
          for (const { line, text } of lines) {
            joined.push(`${path}:${line}: ${text}`);
            after = { path, line };
          }
        }
        if (!outcome.more) break;
      }
      expect(joined).toEqual(whole);
    }
  });

  test('a long line is cut around its match, on characters', async () => {
    put('f', `${'é'.repeat(5000)}NEEDLE${'中'.repeat(5000)}\n`);
    const [row = ''] = await rows('NEEDLE');
    expect(row).toMatch(/^f:1: …é+NEEDLE中+…$/);
    expect(Buffer.byteLength(row)).toBeLessThan(600);
    expect(row).not.toContain('\uFFFD');
  });

  test('binary files are passed over; one that matched before its NUL is told of', async () => {
    put('a.bin', 'hit\0\n');
    put('b.bin', `hit\n${'x'.repeat(100_000)}\0`);
    put('c', 'hit');
    const outcome = await grep('hit');
    expect(outcome.files.map(({ path }) => path)).toEqual(['c']);
    expect(outcome.notSearched).toEqual([{ path: 'b.bin', reason: 'binary' }]);
  });

  test('a binary file that is named itself is told of', async () => {
    const notSearched = [{ path: 'a.bin', reason: 'binary' }];
    put('a.bin', 'hit\0\n');
    expect(await grep('hit', { path: 'a.bin' })).toMatchObject({ files: [], notSearched });
    put('a.bin', `\0${'hit\n'.repeat(400_000)}`);
    expect(await grep('hit', { path: 'a.bin' })).toMatchObject({ files: [], notSearched });
    expect(await grep('nothing', { path: 'a.bin' })).toMatchObject({ files: [], notSearched });
  });

  test('byte order marks: UTF-8 and UTF-16 are read, UTF-32 is told of', async () => {
    const utf16 = Buffer.from('\uFEFFfoo\nbär hit\n', 'utf16le');
    put('a', Buffer.concat([Buffer.from('efbbbf', 'hex'), Buffer.from('hit\n')]));
    put('b', utf16);
    put('c', Buffer.from(utf16).swap16());
    put('d', Buffer.from('fffe0000680000006900000074000000', 'hex'));
    expect(await rows('^hit|bär')).toEqual(['a:1: hit', 'b:2: bär hit', 'c:2: bär hit']);
    expect((await grep('hit')).notSearched).toEqual([{ path: 'd', reason: 'encoding' }]);
  });

  test('include, hidden and ignore say where to look', async () => {
    for (const name of ['a.ts', 'b.js', 'src/c.ts', 'src/d.tsx', '.h/e.ts', 'dist/f.ts']) put(name);
    put('.gitignore', 'dist\n');
    const paths = async (options: Partial<GrepRequest>) =>
      (await grep('K', options)).files.map(({ path }) => path);
    expect(await paths({ include: '*.{ts,tsx}' })).toEqual([
      '.h/e.ts',
      'a.ts',
      'src/c.ts',
      'src/d.tsx',
    ]);
    expect(await paths({ include: '*.ts', hidden: false })).toEqual(['a.ts', 'src/c.ts']);
    expect(await paths({ include: '*.ts', hidden: false, ignore: false })).toEqual([
      'a.ts',
      'dist/f.ts',
      'src/c.ts',
    ]);
    expect(await paths({ path: 'dist' })).toEqual(['dist/f.ts']);
    expect(await paths({ path: 'dist/f.ts' })).toEqual(['dist/f.ts']);
    expect(await paths({ path: 'src', include: 'c*' })).toEqual(['src/c.ts']);
  });

  test('matches across lines, once each, with the last line of each', async () => {
    put('f', 'x\nfoo(\n bar)\n');
    const { files, matchingLines } = await grep('foo\\(\\n bar', { multiline: true });
    expect(matchingLines).toBe(2);
    expect(files[0]?.lines).toEqual([
      { line: 2, text: 'foo(', match: true, endLine: 3 },
      { line: 3, text: ' bar)', match: true },
    ]);
  });

  test('at the deadline it answers with what it has, and says what is left', async () => {
    put('a/x', 'K');
    put('b', 'K');
    const outcome = await grep('K', { timeoutMs: 0 });
    expect(outcome).toEqual({
      files: [],
      matchingLines: 0,
      more: false,
      truncated: true,
      notSearched: [
        { path: 'a/x', reason: 'deadline' },
        { path: 'b', reason: 'deadline' },
      ],
    });
  });

  test('nested quantifiers on a line of 1 MB end well inside of the deadline', async () => {
    put('f', `${'a'.repeat(1 << 20)}!\n`);
    const outcome = await grep('(a+)+$', { timeoutMs: 5000 });
    expect(outcome).toMatchObject({ matchingLines: 0, truncated: false, notSearched: [] });
  });

  test('a large file is scanned by windows, with right line numbers and context', async () => {
    const line = `${'x'.repeat(99)}\n`;
    put('f', line.repeat(20_000));
    appendFileSync(
      join(root, 'f'),
      `before\nneedle one\nafter\n${line.repeat(30_000)}needle two\nend`,
    );
    expect(await rows('needle', { context: 1 })).toEqual([
      'f-20001- before',
      'f:20002: needle one',
      'f-20003- after',
      `f-50003- ${line.trimEnd()}`,
      'f:50004: needle two',
      'f-50005- end',
    ]);
    expect((await grep('x$', { gather: 'counts' })).matchingLines).toBe(50_000);
  });

  test('a directory may hold more files than a call takes arguments', async () => {
    const count = process.env['TOOLWRIGHT_LONG'] === '1' ? 130_000 : 3000;
    for (let at = 0; at < count; at += 1) put(`many/f${at}`, '');
    put('many/hit', 'hit');
    expect(await rows('hit', { path: 'many' })).toEqual(['many/hit:1: hit']);
    const late = await grep('hit', { path: 'many', timeoutMs: 0 });
    expect(late.notSearched.length).toBeGreaterThan(0);
  });

  test('of 10,000 files a search that is cancelled ends at once, with the reason', async () => {
    for (let i = 0; i < 100; i += 1) mkdirSync(join(root, `d${i}`));
    for (let i = 0; i < 10_000; i += 1) writeFileSync(join(root, `d${i % 100}/f${i}`), 'K\n');
    const controller = new AbortController();
    const search = grep('K', { signal: controller.signal });
    setImmediate(() => controller.abort(new Error('enough')));
    const began = performance.now();
    await expect(search).rejects.toThrow('enough');
    // Ten times what it should take; a scan to the end takes longer.
    expect(performance.now() - began).toBeLessThan(1000);
  });

  test('files that are no UTF-8 are told of when they match, or all of them', async () => {
    put('a', Buffer.from('caf\xe9 K\n', 'latin1'));
    put('b', 'café K\n');
    put('c', Buffer.from('caf\xe9\n', 'latin1'));
    put('d/x', Buffer.concat([Buffer.from('x'.repeat(1 << 20)), Buffer.from('\xe9 K', 'latin1')]));
    put('e', Buffer.from(`${'é'.repeat((1 << 19) - 1)}中 K`));
    put('f', Buffer.from('\xe9\0 K', 'latin1'));
    put('.env', Buffer.from('caf\xe9 K\n', 'latin1'));
    const matched = await grep('K', { undecoded: 'matched', gather: 'counts', limit: 0 });
    expect(matched.files.map(({ path }) => path)).toEqual(['a', 'b', 'd/x', 'e']);
    expect(matched.undecoded).toEqual(['a']);
    const all = await grep('é|K', { undecoded: 'all', gather: 'counts', limit: 0 });
    expect(all.files.map(({ path }) => path)).toEqual(['b', 'd/x', 'e']);
    expect(all.undecoded).toEqual(['a', 'c']);
    expect((await grep('K')).undecoded).toBeUndefined();
  });

  test('a text that is no file can be searched', async () => {
    const workspace = localWorkspace(root);
    const outcome = await workspace.search?.grepText({
      name: 'a3s://tool-output/x/1',
      content: Buffer.from('one\ntwo\nthree\n'),
      pattern: 't',
      literal: false,
      caseSensitive: true,
      multiline: false,
      gather: 'lines',
      context: 0,
      limit: 10,
      timeoutMs: 1000,
    });
    await workspace.close();
    expect(outcome?.files[0]?.lines.map(({ text }) => text)).toEqual(['two', 'three']);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineProvider, defineTool, type JsonObject, type ToolResult } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { search } from '../../src/provider.ts';
import { openSession } from './open-session.ts';

const field = (result: ToolResult, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    result.metadata,
  );
const rows = (result: ToolResult) =>
  result.output.split('\n').filter((line) => line !== '' && !line.startsWith('['));

describe('grep', () => {
  test('rows, totals, anchors and page', async () => {
    await using opened = await openSession({ 'a.ts': 'one\ntwo K\nthree\n', 'b/c.md': 'K\nK\n' });
    const result = await opened.search({ mode: 'grep', query: 'K', context: 1 });
    expect(result.output).toBe(
      'a.ts-1- one\na.ts:2: two K\na.ts-3- three\n--\nb/c.md:1: K\nb/c.md:2: K\n[3 matching lines in 2 files]\n',
    );
    expect(result.structured).toEqual({
      matches: [
        { path: 'a.ts', line: 2, text: 'two K' },
        { path: 'b/c.md', line: 1, text: 'K' },
        { path: 'b/c.md', line: 2, text: 'K' },
      ],
    });
    expect(result.metadata).toMatchObject({
      mode: 'grep',
      output_mode: 'content',
      search: { matching_lines: 3, matching_files: 2, truncated: false, not_searched: [] },
      source_anchors: ['a.ts', 'b/c.md'],
      page: { offset: 0, returned_items: 3, total_items: 3, next_cursor: null, truncated: false },
    });
  });

  test('GREP-004: a name with a newline is raw in metadata and one line in the text', async () => {
    await using opened = await openSession({ 'a\nb.txt': 'hit' });
    const result = await opened.search({ mode: 'grep', query: 'hit' });
    expect(field(result, 'source_anchors')).toEqual(['a\nb.txt']);
    expect(rows(result)).toEqual(['"a\\nb.txt":1: hit']);
  });

  test('GREP-021: a bad pattern is invalid_argument, look-around is refused by name', async () => {
    await using opened = await openSession({ a: 'x' });
    const bad = await opened.search({ mode: 'grep', query: '(' });
    expect(bad.error).toMatchObject({ type: 'invalid_argument', reason: 'bad_pattern' });
    const around = await opened.search({ mode: 'grep', query: 'a(?=b)' });
    expect(around.error).toMatchObject({ type: 'invalid_argument', refusal: 'look_around' });
    expect(around.error?.message).toContain('look-ahead');
    const brace = await opened.search({ mode: 'grep', query: 'foo{' });
    expect(brace.error).toMatchObject({ type: 'invalid_argument', reason: 'bad_pattern' });
  });

  test('the other output modes', async () => {
    await using opened = await openSession({ 'a/x': 'K\nK\n', 'a-b': 'K\n', c: 'no\n' });
    const ask = async (output_mode: string, more: JsonObject = {}) =>
      opened.search({ mode: 'grep', query: 'K', output_mode, ...more });
    expect((await ask('files_with_matches')).output).toBe('a-b\na/x\n');
    expect((await ask('count')).output).toBe('a-b: 1\na/x: 2\n');
    expect((await ask('summary')).output).toBe('3 matching lines in 2 files\n');
    const first = await ask('count', { limit: 1 });
    expect(rows(first)).toEqual(['a-b: 1']);
    const cursor = field(first, 'page', 'next_cursor');
    expect(cursor).toBeTypeOf('string');
    const second = await ask('count', { limit: 1, cursor: String(cursor) });
    expect(rows(second)).toEqual(['a/x: 2']);
    expect(field(second, 'page')).toMatchObject({ offset: 1, total_items: 2, next_cursor: null });
    const other = await ask('files_with_matches', { limit: 1, cursor: String(cursor) });
    expect(other.error).toMatchObject({ type: 'invalid_argument', reason: 'bad_cursor' });
    expect((await ask('content', { query: 'zzz' })).output).toBe('[no matches]\n');
  });

  test('content pages join to the whole, also when the output is what cuts them', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i % 7}/f${i}`,
        `K ${'x'.repeat(400)}\nno\n`.repeat(20),
      ]),
    );
    await using opened = await openSession(files);
    const seen: string[] = [];
    let cursor: unknown = '';
    for (let page = 0; page < 60 && typeof cursor === 'string'; page += 1) {
      const result = await opened.search({ mode: 'grep', query: 'K', limit: 333, cursor });
      expect(result.error).toBe(null);
      expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(102_400);
      seen.push(...rows(result));
      cursor = field(result, 'page', 'next_cursor');
    }
    expect(seen).toHaveLength(800);
    expect(new Set(seen).size).toBe(800);
  });

  test('neutral values that providers fill in are no errors, limits are clamped', async () => {
    await using opened = await openSession({ a: 'K' });
    const result = await opened.search({
      mode: 'grep',
      query: 'K',
      cursor: '',
      include: '',
      limit: 200,
      path: '',
    });
    expect(rows(result)).toEqual(['a:1: K']);
    const clamped = await opened.search({ mode: 'grep', query: 'K', limit: 5000 });
    expect(field(clamped, 'page')).toMatchObject({
      requested_limit: 5000,
      applied_limit: 1000,
      limit_clamped: true,
    });
    const zero = await opened.search({ mode: 'grep', query: 'K', limit: 0 });
    expect(zero.error).toMatchObject({ type: 'invalid_argument' });
  });

  test('READ-005: a FIFO is passed over, and what is not there or outside is a typed error', async () => {
    await using opened = await openSession({ 'logs/a.log': 'hit' });
    execFileSync('mkfifo', [join(opened.root, 'logs/live.pipe')]);
    expect(rows(await opened.search({ mode: 'grep', query: 'hit', path: 'logs' }))).toEqual([
      'logs/a.log:1: hit',
    ]);
    const errors = await Promise.all(
      ['nope', '../x', 'logs/live.pipe'].map(
        async (path) => (await opened.search({ mode: 'grep', query: 'x', path })).error?.type,
      ),
    );
    expect(errors.slice(0, 2)).toEqual(['not_found', 'permission_denied']);
  });

  test('a deadline gives what there is and names the rest', async () => {
    await using opened = await openSession(
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`d${i}/f`, 'x'.repeat(20_000)])),
    );
    const result = await opened.search({ mode: 'grep', query: '(x+x+)+y', timeout: 1 });
    expect(result.error).toBe(null);
    expect(field(result, 'search', 'truncated')).toBe(true);
    expect(result.output).toMatch(/paths? not searched \(deadline: /);
  });

  test('an artifact is a place to search, with the same cursors', async () => {
    const noisy = defineTool({
      name: 'noisy',
      description: 'Answers with more than is kept in view.',
      input: { type: 'object', additionalProperties: false, properties: {} },
      effects: () => [],
      run: async () => ({
        output: Array.from({ length: 30_000 }, (_, i) => `line ${i}\n`).join(''),
      }),
    });
    const provider = defineProvider({ name: 'noise', version: '1.0.0', tools: [noisy] });
    await using opened = await openSession({}, [provider]);
    await opened.session.tool('noisy');
    const [artifact] = await opened.session.artifacts.list();
    const path = artifact?.uri ?? '';
    const first = await opened.search({ mode: 'grep', query: '9999$', path, limit: 2 });
    expect(rows(first)).toEqual([`${path}:10000: line 9999`, `${path}:20000: line 19999`]);
    const cursor = String(field(first, 'page', 'next_cursor'));
    const second = await opened.search({ mode: 'grep', query: '9999$', path, limit: 2, cursor });
    expect(rows(second)).toEqual([`${path}:30000: line 29999`]);
    const glob = await opened.search({ mode: 'glob', query: '*', path });
    expect(glob.error).toMatchObject({ type: 'unsupported' });
    const missing = await opened.search({
      mode: 'grep',
      query: 'x',
      path: `${path.slice(0, -64)}${'0'.repeat(64)}`,
    });
    expect(missing.error).toMatchObject({ type: 'not_found' });
  });
});

describe('glob', () => {
  test('GLOB-001: brackets in a pattern fall back to the names themselves, a path is always literal', async () => {
    await using opened = await openSession({
      'src/app/(auth)/[id]/page.tsx': '',
      'src/app/i/page.tsx': '',
    });
    const literal = await opened.search({
      mode: 'glob',
      query: '*.tsx',
      path: 'src/app/(auth)/[id]',
    });
    expect(rows(literal)).toEqual(['src/app/(auth)/[id]/page.tsx']);
    const pattern = await opened.search({ mode: 'glob', query: 'src/app/(auth)/[id]/**' });
    expect(rows(pattern)).toEqual(['src/app/(auth)/[id]/page.tsx']);
    expect(field(pattern, 'taken_literally')).toBe(true);
    // A class that matches other names as well: both readings are given, never the wrong one alone.
    writeFileSync(join(opened.root, 'src/app/(auth)/i'), '');
    const both = await opened.search({ mode: 'glob', query: 'src/app/(auth)/[id]{,/**}' });
    expect(rows(both)).toEqual(['src/app/(auth)/[id]/page.tsx', 'src/app/(auth)/i']);
    const none = await opened.search({ mode: 'glob', query: 'src/[zz]/**' });
    expect(none.output).toMatch(/^\[no files match; write \\\[/);
  });

  test('GLOB-003, GLOB-004 and GLOB-007 through the tool', async () => {
    await using opened = await openSession({
      'flat/.a': '',
      'flat/.b': '',
      'flat/c': '',
      'flat/.js': '',
      'a.py': '',
      'b.txt': '',
      'c.{py}': '',
      'node_modules/p/.npmignore': '',
      'src/.env': '',
      'src/a.ts': '',
    });
    const find = async (query: string, more: JsonObject = {}) =>
      rows(await opened.search({ mode: 'glob', query, ...more }));
    expect(await find('flat/{.a,.b}', { hidden: false })).toEqual(['flat/.a', 'flat/.b']);
    expect(await find('flat/{c,.a}', { hidden: false })).toEqual(['flat/.a', 'flat/c']);
    expect(await find('flat/[.]a', { hidden: false })).toEqual([]);
    expect(await find('flat/{*.js,x}', { hidden: false })).toEqual([]);
    expect(await find('*.{py}')).toEqual(['a.py']);
    expect(await find('*.\\{py\\}')).toEqual(['c.{py}']);
    expect(await find('!{node_modules,flat}/**')).toEqual([
      'a.py',
      'b.txt',
      'c.{py}',
      'src/.env',
      'src/a.ts',
    ]);
  });

  test('pages in path order or by relevance', async () => {
    await using opened = await openSession({
      'b.ts': '',
      'a/b/c.ts': '',
      'a/x.ts': '',
      'z.md': '',
    });
    const ask = async (more: JsonObject) => opened.search({ mode: 'glob', query: '*.ts', ...more });
    expect(rows(await ask({}))).toEqual(['a/b/c.ts', 'a/x.ts', 'b.ts']);
    expect(rows(await ask({ sort: 'backend' }))).toEqual(['b.ts', 'a/x.ts', 'a/b/c.ts']);
    const first = await ask({ limit: 2 });
    expect(rows(first)).toEqual(['a/b/c.ts', 'a/x.ts']);
    const second = await ask({ limit: 2, cursor: String(field(first, 'page', 'next_cursor')) });
    expect(rows(second)).toEqual(['b.ts']);
    const bad = await opened.search({ mode: 'glob', query: '../*' });
    expect(bad.error).toMatchObject({ type: 'invalid_argument', reason: 'bad_glob' });
  });
});

describe('bm25', () => {
  test('more covered terms beat repeats, a shorter passage a longer one', async () => {
    await using opened = await openSession({
      'repeats.md': 'retry retry retry retry retry retry\n',
      'covers.md': 'retry with exponential backoff\n',
      'long.md': `needle ${'and many other words '.repeat(200)}\n`,
      'short.md': 'needle here\n',
    });
    const paths = async (query: string) =>
      field(await opened.search({ mode: 'bm25', query }), 'source_anchors');
    expect(await paths('retry backoff')).toEqual(['covers.md', 'repeats.md']);
    expect(await paths('needle')).toEqual(['short.md', 'long.md']);
  });

  test('identifiers and ideographs are found by their parts', async () => {
    await using opened = await openSession({
      'a.ts': 'export class HTTPServer2 { parseUserName() {} }\n',
      'b.md': '工具调用的权限检查在执行之前完成\n',
      'c.ts': 'const unrelated = 1;\n',
    });
    const first = async (query: string) => {
      const anchors = field(await opened.search({ mode: 'bm25', query }), 'source_anchors');
      return Array.isArray(anchors) ? anchors[0] : undefined;
    };
    expect(await first('http server')).toBe('a.ts');
    expect(await first('user name')).toBe('a.ts');
    expect(await first('权限检查')).toBe('b.md');
  });

  test('the index follows changes of files, and does not read what it knows', async () => {
    await using opened = await openSession({ a: 'alpha\n', b: 'beta\n' });
    const ask = async (query: string) => opened.search({ mode: 'bm25', query });
    expect(field(await ask('alpha'), 'scan', 'read_files')).toBe(2);
    expect(field(await ask('beta'), 'scan', 'read_files')).toBe(0);
    writeFileSync(join(opened.root, 'b'), 'gamma and more\n');
    const changed = await ask('gamma');
    expect(field(changed, 'scan', 'read_files')).toBe(1);
    expect(field(changed, 'results')).toMatchObject([{ path: 'b', start_line: 1, end_line: 1 }]);
    expect(field(await ask('beta'), 'results')).toEqual([]);
  });

  test('large files and binaries are left out and counted, punctuation is refused', async () => {
    await using opened = await openSession({
      big: 'word '.repeat(200_000),
      bin: 'word\0',
      ok: 'word\n',
    });
    const result = await opened.search({ mode: 'bm25', query: 'word' });
    expect(field(result, 'source_anchors')).toEqual(['ok']);
    expect(field(result, 'scan')).toMatchObject({ oversized_files: 1, read_files: 1 });
    expect((await opened.search({ mode: 'bm25', query: '-> {}' })).error).toMatchObject({
      type: 'invalid_argument',
    });
    expect((await opened.search({ mode: 'bm25', query: 'zzz' })).output).toMatch(/no passage/);
  });

  test('of many files those that cover the query are ranked, not the first by path', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, i) => [`a${i}.md`, 'one common word\n']),
    );
    await using opened = await openSession({
      ...files,
      'zz/last.md': 'the common quaternion rotation\n',
    });
    const result = await opened.search({ mode: 'bm25', query: 'common quaternion rotation' });
    expect(field(result, 'results', '0', 'path')).toBe('zz/last.md');
    expect(field(result, 'candidate_search')).toMatchObject({
      selected_files: 256,
      candidate_truncated: true,
    });
  });

  test('at most two passages of a file', async () => {
    await using opened = await openSession({ a: 'needle\n'.repeat(1000), b: `x\nneedle\n` });
    const result = await opened.search({ mode: 'bm25', query: 'needle', limit: 25 });
    expect(field(result, 'returned_results')).toBe(3);
  });
});

test('helpers call the tool as the host', async () => {
  await using opened = await openSession({ 'a.ts': 'Hit\n', 'b.md': 'hit\n' });
  mkdirSync(join(opened.root, 'empty'));
  const grep = await search()
    .helpers(opened.session)
    .grep('hit', { include: '*.ts', caseSensitive: false });
  expect(rows(grep)).toEqual(['a.ts:1: Hit']);
  expect(rows(await search().helpers(opened.session).glob('*.md'))).toEqual(['b.md']);
});

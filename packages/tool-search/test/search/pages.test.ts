import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, ToolResult } from '@toolwright/core';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openSession } from './open-session.ts';

type Opened = Awaited<ReturnType<typeof openSession>>;

const pageOf = ({ metadata }: ToolResult): JsonObject => {
  const { page } = metadata;
  if (typeof page !== 'object' || page === null) throw new Error('no page');
  return Object.fromEntries(Object.entries(page));
};

const withoutFooter = ({ output }: ToolResult) => output.replace(/\[[^\n]*\]\n$/, '');

/** Follows the cursors to the end. */
async function allPages(opened: Opened, args: JsonObject): Promise<ToolResult[]> {
  const pages: ToolResult[] = [];
  for (let cursor: JsonObject[string] = null; ;) {
    const result: ToolResult = await opened.search({ ...args, cursor });
    expect(result.error).toBeNull();
    pages.push(result);
    cursor = pageOf(result)['next_cursor'] ?? null;
    if (cursor === null) return pages;
  }
}

const line = fc.constantFrom('foo', 'bar', '', 'foo bar', '中foo', '\tfoo', 'x');
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 14 })
  .map((lines) => lines.map((parts) => parts.join('')).join(''));

test('pages of content with context join to the whole text, whatever the limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ a: text, 'b/c': text, é: text }),
      fc.constantFrom('foo', '^$', 'o\\nb', '(?s)foo.*?bar', 'foo\\s*\\n'),
      fc.record({ context: fc.nat(3), limit: fc.integer({ min: 1, max: 4 }) }),
      async (files, query, { context, limit }) => {
        await using opened = await openSession(files);
        const args = { mode: 'grep', query, multiline: true, context };
        const whole = await opened.search(args);
        const pages = await allPages(opened, { ...args, limit });
        expect(pages.map(withoutFooter).join('')).toBe(withoutFooter(whole));
      },
    ),
    { numRuns: process.env['TOOLWRIGHT_LONG'] === '1' ? 400 : 40 },
  );
});

describe('lines around the last match of a page', () => {
  test('stand on that page, and not on the next one again', async () => {
    const lines = Array.from({ length: 12 }, (_, at) => (at === 3 || at === 9 ? 'hit' : `l${at}`));
    await using opened = await openSession({ a: lines.join('\n') });
    const args = { mode: 'grep', query: 'hit', context: 3, limit: 1 };
    const pages = await allPages(opened, args);
    expect(pages.map(withoutFooter)).toEqual([
      'a-1- l0\na-2- l1\na-3- l2\na:4: hit\na-5- l4\na-6- l5\na-7- l6\n',
      'a-8- l7\na-9- l8\na:10: hit\na-11- l10\na-12- l11\n',
    ]);
  });

  test('of files in a legacy encoding too', async () => {
    const gb18030 = Buffer.from('c4e3bac3bac3a3acd5e2cac7b2e2cad4cec4bcfe', 'hex');
    const plain = Buffer.from('bac3a3acd5e2cac7b2e2cad4cec4bcfe', 'hex');
    const lines = Array.from({ length: 30 }, (_, at) => (at % 4 === 0 ? gb18030 : plain));
    const content = Buffer.concat(lines.flatMap((each) => [each, Buffer.from('\n')]));
    await using opened = await openSession({ 'a.txt': content, 'b.txt': '你好\n' });
    const args = { mode: 'grep', query: '你好', context: 1 };
    const whole = await opened.search(args);
    const pages = await allPages(opened, { ...args, limit: 3 });
    expect(pageOf(whole)['total_items']).toBe(9);
    expect(pages.map(withoutFooter).join('')).toBe(withoutFooter(whole));
  });

  test('and go with their match when the output is full', async () => {
    const rows = Array.from(
      { length: 400 },
      (_, at) => `${at % 3 ? 'foo' : 'bar'}${'z'.repeat(300)}`,
    );
    await using opened = await openSession({ a: rows.join('\n') });
    const args = { mode: 'grep', query: 'foo', context: 2 };
    const large = await allPages(opened, { ...args, limit: 1000 });
    const small = await allPages(opened, { ...args, limit: 9 });
    expect(large).toHaveLength(2);
    expect(large.map(withoutFooter).join('')).toBe(small.map(withoutFooter).join(''));
  });
});

describe.each(['path', 'backend'])('glob sorted by %s', (sort) => {
  test('goes on after a path that is gone meanwhile', async () => {
    const names = Array.from({ length: 8 }, (_, at) => `f${at}.txt`);
    await using opened = await openSession(Object.fromEntries(names.map((name) => [name, ''])));
    const args = { mode: 'glob', query: 'f*', sort, limit: 3 };
    const first = await opened.search(args);
    for (const name of ['f0.txt', 'f2.txt']) rmSync(join(opened.root, name));
    const second = await opened.search({ ...args, cursor: pageOf(first)['next_cursor'] ?? null });
    expect(withoutFooter(second)).toBe('f3.txt\nf4.txt\nf5.txt\n');
  });
});

test('bm25 tells of bounds that are its own, and of files beyond them', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`f${String(at).padStart(3, '0')}`, 'word\n']),
  );
  await using opened = await openSession(files);
  const result = await opened.search({ mode: 'bm25', query: 'word', limit: 40, context: 12 });
  expect(result.metadata['clamped']).toEqual([
    { path: '/limit', from: 40, to: 25 },
    { path: '/context', from: 12, to: 8 },
  ]);
  expect(pageOf(result)).toMatchObject({
    requested_limit: 40,
    applied_limit: 25,
    returned_items: 25,
    limit_clamped: true,
  });
  const { search } = result.metadata;
  expect(search).toMatchObject({ truncated: true });
  expect(result.output).toContain('44 paths not searched (too_many: f256, f257');
  const few = await opened.search({ mode: 'bm25', query: 'word', limit: 3, path: 'f000' });
  expect(few.metadata['clamped']).toBeUndefined();
  expect(pageOf(few)).toMatchObject({ applied_limit: 3, returned_items: 1, limit_clamped: false });
});

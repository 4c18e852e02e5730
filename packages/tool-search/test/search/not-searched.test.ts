import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolResult } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { asOrdinaryUser } from '../../../../test-support/ordinary-user.ts';
import { openSession } from './open-session.ts';

const searchOf = (result: ToolResult) => result.metadata['search'];

function notSearchedOf(result: ToolResult): readonly { readonly reason: string }[] {
  const search = searchOf(result);
  // The shape is that of the tool's contract; what it holds is what is tested.
  return Reflect.get(Object(search), 'not_searched') as readonly { readonly reason: string }[];
}

describe('what was not searched is named', () => {
  test.each(['grep', 'glob', 'bm25'])('a directory that may not be read: %s', async (mode) => {
    await using opened = await openSession({
      'a/needle.ts': 'needle\n',
      'b/closed\n/needle.ts': 'needle\n',
    });
    chmodSync(opened.root, 0o755);
    chmodSync(join(opened.root, 'b/closed\n'), 0);
    const query = mode === 'glob' ? '*.ts' : 'needle';
    const result = await asOrdinaryUser(async () => opened.search({ mode, query }));
    chmodSync(join(opened.root, 'b/closed\n'), 0o755);
    expect(result.error).toBeNull();
    expect(result.metadata['source_anchors']).toEqual(['a/needle.ts']);
    expect(searchOf(result)).toMatchObject({
      matching_files: 1,
      not_searched: [{ path: 'b/closed\n', reason: 'permission' }],
    });
    expect(result.output).toContain('\n[1 path not searched (permission: "b/closed\\n")]\n');
  });

  test('more directories than can be told of are counted', async () => {
    const names = Array.from({ length: 230 }, (_, i) => `d${String(i).padStart(3, '0')}`);
    await using opened = await openSession({ a: '' });
    chmodSync(opened.root, 0o755);
    for (const name of names) mkdirSync(join(opened.root, name), { mode: 0 });
    const result = await asOrdinaryUser(async () => opened.search({ mode: 'glob', query: '**' }));
    for (const name of names) chmodSync(join(opened.root, name), 0o755);
    expect(searchOf(result)).toMatchObject({
      not_searched: [
        ...names.slice(0, 199).map((path) => ({ path, reason: 'permission' })),
        { path: '', reason: '31_more' },
      ],
    });
    expect(result.output).toMatch(/\[230 paths not searched \(permission: d000, .*…\)\]/);
  });

  test('what is too large to be ranked', async () => {
    await using opened = await openSession({ big: 'word '.repeat(200_000), ok: 'word\n' });
    const result = await opened.search({ mode: 'bm25', query: 'word' });
    expect(searchOf(result)).toMatchObject({
      not_searched: [{ path: 'big', reason: 'too_large' }],
    });
    expect(result.output).toContain('[1 path not searched (too_large: big)]');
  });
});

describe('at its deadline a search answers with what it has', () => {
  test('glob', async () => {
    await using opened = await openSession({});
    for (let i = 0; i < 4000; i += 1)
      mkdirSync(join(opened.root, `d${i % 40}/e${i}`), { recursive: true });
    writeFileSync(join(opened.root, 'a.ts'), '');
    writeFileSync(join(opened.root, 'z.ts'), '');
    const result = await opened.search({ mode: 'glob', query: '*.ts', timeout: 1 });
    expect(result.error).toBeNull();
    expect(searchOf(result)).toMatchObject({
      truncated: true,
      not_searched: [{ path: '', reason: 'deadline' }],
    });
    expect(result.output).toContain('[1 path not searched (deadline: .)]');
    const whole = await opened.search({ mode: 'glob', query: '*.ts' });
    expect(whole.output).toBe('a.ts\nz.ts\n');
    expect(searchOf(whole)).toMatchObject({ truncated: false, not_searched: [] });
  });

  test('bm25', async () => {
    const files = Array.from({ length: 200 }, (_, i) => `f${String(i).padStart(3, '0')}`);
    await using opened = await openSession(
      Object.fromEntries(
        files.map((path, i) => [path, `word ${'some other text '.repeat(i * 20)}\n`]),
      ),
    );
    const result = await opened.search({ mode: 'bm25', query: 'word', timeout: 1 });
    expect(result.error).toBeNull();
    expect(searchOf(result)).toMatchObject({ truncated: true });
    const left = notSearchedOf(result);
    expect(left.length).toBeGreaterThan(0);
    expect(new Set(left.map(({ reason }) => reason))).toEqual(new Set(['deadline']));
    expect(result.output).toMatch(/ not searched \(deadline: /);
    const whole = await opened.search({ mode: 'bm25', query: 'word' });
    expect(searchOf(whole)).toMatchObject({ truncated: false, not_searched: [] });
  });
});

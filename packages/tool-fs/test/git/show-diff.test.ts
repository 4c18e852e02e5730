import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { invertDiff } from './invert-diff.ts';
import { pagingOf, useRepository } from './repository-fixture.ts';

const repository = useRepository();

describe('diff and show', () => {
  it('GIT-004 path that contains ` b/` in a diff', async () => {
    repository.commit('odd', { 'x b/y.txt': '1\n' });
    repository.write('x b/y.txt', '2\n');
    const { output } = await repository.git({ command: 'diff' });
    expect(output).toContain('--- a/x b/y.txt');
    const result = await repository.session.tool('patch', { diff: invertDiff(output) });
    expect(result.error).toBe(null);
    expect(readFileSync(join(repository.root, 'x b/y.txt'), 'utf8')).toBe('1\n');
  });

  it('GIT-011 empty-string diff.external override breaks diff', async () => {
    repository.write('a.txt', 'two\n');
    const result = await repository.git({ command: 'diff' });
    expect(result).toMatchObject({ exit_code: 0, error: null });
    expect(result.output).toContain('-one\n+two\n');
    expect(result.output).not.toContain('cannot run');
  });

  it('GIT-012 huge diff is bounded and says what was cut', async () => {
    const lines = (text: string): string => `${text}\n`.repeat(200_000);
    repository.commit('lock', { 'big.lock': lines('old'), 'a.ts': 'let a = 1;\n' });
    repository.write('big.lock', lines('new'));
    repository.write('a.ts', 'let a = 2;\n');
    const result = await repository.git({ command: 'diff', max_bytes: 50_000 });
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(50_000);
    expect(result.output).toContain('+1 -1 a.ts\n');
    expect(result.output).toContain('+200000 -200000 big.lock\n');
    expect(result.metadata['range']).toMatchObject({ offset: 0, total_bytes: expect.any(Number) });
    const narrowed = await repository.git({ command: 'diff', paths: ['a.ts'] });
    expect(narrowed.output).toContain('-let a = 1;\n+let a = 2;\n');
  });

  it('shows files of any name as they were', async () => {
    const names = ['n\nl', 't\tab', 'esc\u001b[0m', 'q"uote', ' lead', 'a:b', 'back\\slash'];
    repository.commit('odd', Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    for (const name of names) {
      repository.write(name, 'changed');
      const { output } = await repository.git({ command: 'show', ref: `HEAD:${name}` });
      expect(output).toBe(`${name}\n`);
    }
    const { error } = await repository.git({ command: 'show', ref: 'HEAD:a\0b' });
    expect(error).toMatchObject({ reason: 'bad_ref' });
  });

  it('skips nothing of a diff whose bytes are no UTF-8', async () => {
    const line = Buffer.concat([Buffer.from([0xe9, 0xe8, 0xe0, 0xf6]), Buffer.from('\n')]);
    writeFileSync(join(repository.root, 'latin.txt'), 'old\n');
    repository.own('add', '.');
    const many = Buffer.concat(Array.from({ length: 16_000 }, () => line));
    writeFileSync(join(repository.root, 'latin.txt'), many);
    repository.own('add', '.');
    let shown = 0;
    let cursor: string | null = null;
    do {
      const going: JsonObject = cursor === null ? {} : { cursor };
      const result = await repository.git({ command: 'diff', staged: true, ...going });
      expect(result.metadata['a3s_tool_result_evidence']).toMatchObject({ loss_mode: 'none' });
      shown += result.output.match(/^\+\uFFFD{4}$/gmu)?.length ?? 0;
      cursor = pagingOf(result).next;
    } while (cursor !== null);
    // A line that a window cuts is shown in two parts.
    expect(shown).toBeGreaterThan(16_000 - 10);
  });

  it('keeps to its bytes with all that it tells, and always goes on', async () => {
    const files = Array.from({ length: 120 }, (_, i) => [`${'long'.repeat(20)}${i}.txt`, 'x\n']);
    repository.commit('many', Object.fromEntries(files));
    for (const [path = ''] of files) repository.write(path, 'y\n');
    for (const maxBytes of [1_024, 4_096, 20_000]) {
      let cursor: string | null = null;
      let taken = 0;
      do {
        const going: JsonObject = cursor === null ? {} : { cursor };
        const result = await repository.git({ command: 'diff', max_bytes: maxBytes, ...going });
        expect(result.error).toBeNull();
        expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(maxBytes);
        const { returned_bytes: returned } = JSON.parse(JSON.stringify(result.metadata['range']));
        expect(returned).toBeGreaterThan(0);
        taken += returned;
        cursor = pagingOf(result).next;
      } while (cursor !== null);
      expect(taken).toBe(Buffer.byteLength(repository.own('diff')));
    }
  });

  it('goes on by cursor at whole characters, and notices a change', async () => {
    repository.write('a.txt', `${'äöü€😀'.repeat(400)}\n`);
    const whole = repository.own('diff');
    let text = '';
    let result = await repository.git({ command: 'diff', max_bytes: 1_001 });
    for (;;) {
      text += result.output
        .replace(/^\[1 files.*\n( .*\n)*/, '')
        .replace(/\n?\[\d+ of \d+ bytes.*\n$/, '');
      const { next } = pagingOf(result);
      if (next === null) break;
      result = await repository.git({ command: 'diff', max_bytes: 1_001, cursor: next });
    }
    expect(text).not.toContain('\uFFFD');
    expect(text.replaceAll('\n', '')).toBe(whole.replaceAll('\n', ''));
    const first = await repository.git({ command: 'diff', max_bytes: 1_001 });
    repository.write('a.txt', 'now another\n');
    expect(
      (await repository.git({ command: 'diff', cursor: String(pagingOf(first).next) })).error,
    ).toMatchObject({
      type: 'version_conflict',
    });
    expect((await repository.git({ command: 'diff', byte_offset: 1_000_000 })).error).toMatchObject(
      {
        reason: 'out_of_range',
      },
    );
    repository.write('a.txt', '€\n');
    const at = Buffer.from(repository.own('diff')).indexOf(Buffer.from('€'));
    expect((await repository.git({ command: 'diff', byte_offset: at + 1 })).error).toMatchObject({
      reason: 'mid_character',
    });
    expect((await repository.git({ command: 'diff', byte_offset: at })).output).toMatch(/^€\n/);
  });

  it('compares what is asked for', async () => {
    repository.own('branch', 'old');
    repository.commit('second', { 'a.txt': 'two\n' });
    repository.write('a.txt', 'three\n');
    repository.own('add', '.');
    repository.write('a.txt', 'four\n');
    const diff = async (input: JsonObject): Promise<string> =>
      (await repository.git({ command: 'diff', ...input })).output
        .split('\n')
        .slice(-3, -1)
        .join('');
    expect(await diff({})).toBe('-three+four');
    expect(await diff({ staged: true })).toBe('-two+three');
    expect(await diff({ target: 'old' })).toBe('-one+four');
    expect(await diff({ base: 'old', target: 'main' })).toBe('-one+two');
    expect(await diff({ base: 'old..main' })).toBe('-one+two');
    repository.own('add', '.');
    expect((await repository.git({ command: 'diff' })).output).toBe('no changes\n');
  });

  it('shows a commit and a file of a commit', async () => {
    const id = repository.commit('second', { 'a.txt': 'two\n' });
    const { output } = await repository.git({ command: 'show' });
    expect(output).toContain(`commit ${id}\n`);
    expect(output).toContain('-one\n+two\n');
    expect((await repository.git({ command: 'show', ref: 'HEAD~1:a.txt' })).output).toBe('one\n');
  });

  it('leaves credential files out', async () => {
    repository.commit('secret', {
      '.env': 'TOKEN=1\n',
      'app/.env.local': 'TOKEN=2\n',
      'b.txt': 'b\n',
      '.npmrc': 'tok\n',
    });
    repository.write('.env', 'TOKEN=3\n');
    repository.write('b.txt', 'c\n');
    for (const call of [
      { command: 'diff' },
      { command: 'show' },
      { command: 'diff', base: 'HEAD~1' },
    ]) {
      const { output } = await repository.git(call);
      expect(output).toContain('b.txt');
      expect(output).not.toMatch(/TOKEN|tok/);
    }
    const blob = repository.own('rev-parse', 'HEAD:.env').trim();
    const calls: JsonObject[] = [
      { command: 'diff', path: '.env' },
      { command: 'show', ref: 'HEAD:.env' },
      { command: 'show', ref: 'HEAD:./app/.env.local' },
      { command: 'show', ref: ':.env' },
      { command: 'show', ref: ':0:.env' },
      { command: 'blame', path: '.env' },
      { command: 'add', path: '.env' },
      { command: 'checkout', ref: 'HEAD~1' },
      { command: 'checkout', path: '.env', force: true },
      { command: 'stash', subcommand: 'push' },
      { command: 'worktree', subcommand: 'create', name: 'x' },
    ];
    expect(await repository.errors(calls)).toEqual(
      calls.map((call) => ({ call, reason: 'credential' })),
    );
    expect((await repository.git({ command: 'show', ref: blob })).error).toMatchObject({
      reason: 'unknown_revision',
    });
    expect((await repository.git({ command: 'add', path: '.' })).metadata).toMatchObject({
      staged: [{ status: 'M', path: 'b.txt' }],
    });
  });
});

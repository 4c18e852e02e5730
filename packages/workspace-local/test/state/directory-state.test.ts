import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { directoryState } from '../../src/index.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tw-state-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

test('keeps bytes under keys, across instances, for their owner alone', async () => {
  const state = directoryState(directory);
  await state.write('a/b', bytes('one'));
  await state.write('a/b', bytes('two'));
  await state.append('log', bytes('x'));
  await state.append('log', bytes('y'));
  const again = directoryState(directory);
  expect(Buffer.from((await again.read('a/b')) ?? []).toString()).toBe('two');
  expect(Buffer.from((await again.read('log')) ?? []).toString()).toBe('xy');
  expect(await again.list('')).toEqual(['a/b', 'log']);
  expect(await again.list('a/')).toEqual(['a/b']);
  expect(statSync(join(directory, 'a/b.bin')).mode & 0o077).toBe(0);
  await again.delete('a/b');
  await again.delete('a/b');
  expect(await state.read('a/b')).toBeUndefined();
});

test('a key that is none is refused', async () => {
  const state = directoryState(directory);
  for (const key of ['', '../x', 'A', 'a//b', '/a', 'a.b']) {
    await expect(state.read(key)).rejects.toThrow(TypeError);
  }
});

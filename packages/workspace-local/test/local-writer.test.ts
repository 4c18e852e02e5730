import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  lstatSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '@toolwright/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localWorkspace } from '../src/index.ts';

let base: string;
let root: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tw-local-')));
  root = join(base, 'root');
  mkdirSync(root);
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
const any = { kind: 'any' } as const;

async function put(path: string, text: string): Promise<void> {
  const transaction = await localWorkspace(root).writer?.begin();
  try {
    await transaction?.stage({ kind: 'write', path, content: bytes(text), expected: any });
    await transaction?.promoteAll();
  } finally {
    await transaction?.rollback();
  }
}

test('writes a new file with the directories above it and leaves nothing else', async () => {
  await put('a/b/c.txt', 'hello');
  expect(readFileSync(join(root, 'a/b/c.txt'), 'utf8')).toBe('hello');
  expect(readdirSync(root)).toEqual(['a']);
  expect(readdirSync(join(root, 'a/b'))).toEqual(['c.txt']);
});

test('replaces a file and keeps its mode', async () => {
  writeFileSync(join(root, 'run.sh'), 'old');
  chmodSync(join(root, 'run.sh'), 0o751);
  await put('run.sh', 'new');
  expect(readFileSync(join(root, 'run.sh'), 'utf8')).toBe('new');
  expect(statSync(join(root, 'run.sh')).mode & 0o7777).toBe(0o751);
});

test('writes through a link inside the root and leaves the link a link', async () => {
  writeFileSync(join(root, 'real.txt'), 'old');
  symlinkSync('real.txt', join(root, 'link.txt'));
  await put('link.txt', 'new');
  expect(readFileSync(join(root, 'real.txt'), 'utf8')).toBe('new');
  expect(lstatSync(join(root, 'link.txt')).isSymbolicLink()).toBe(true);
});

test('PATH-002, PATH-003, PATH-004: nothing is made beyond a link that leaves the root or dangles', async () => {
  const outside = join(base, 'outside');
  mkdirSync(outside);
  symlinkSync(outside, join(root, 'link'));
  symlinkSync(join(outside, 'created.txt'), join(root, 'out.txt'));
  for (const path of [
    'link/new.txt',
    'link/a/b/c.txt',
    'out.txt',
    '../outside/x',
    join(outside, 'y'),
  ]) {
    await expect(put(path, 'x')).rejects.toMatchObject({
      type: 'permission_denied',
      reason: 'outside_workspace',
    });
  }
  expect(readdirSync(outside)).toEqual([]);
  expect(lstatSync(join(root, 'out.txt')).isSymbolicLink()).toBe(true);
});

test('several changes happen together or not at all', async () => {
  writeFileSync(join(root, 'a'), 'a');
  writeFileSync(join(root, 'b'), 'b');
  const { writer } = localWorkspace(root);
  const transaction = await writer?.begin();
  await transaction?.stage({ kind: 'write', path: 'a', content: bytes('A'), expected: any });
  await transaction?.stage({ kind: 'delete', path: 'b', expected: any });
  await transaction?.stage({
    kind: 'write',
    path: 'd/c',
    content: bytes('C'),
    expected: { kind: 'absent' },
  });
  mkdirSync(join(root, 'd'));
  writeFileSync(join(root, 'd/c'), 'there already');
  await expect(transaction?.promoteAll()).rejects.toMatchObject({ type: 'version_conflict' });
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('a');
  expect(readFileSync(join(root, 'b'), 'utf8')).toBe('b');
  expect(readdirSync(root)).toEqual(['a', 'b', 'd']);
});

test('compare-and-swap refuses a file that has changed', async () => {
  writeFileSync(join(root, 'a'), 'one');
  const { writer } = localWorkspace(root);
  const transaction = await writer?.begin();
  const expected = { kind: 'sha256', sha256: sha256Hex('one') } as const;
  await transaction?.stage({ kind: 'write', path: 'a', content: bytes('mine'), expected });
  writeFileSync(join(root, 'a'), 'theirs');
  await expect(transaction?.promoteAll()).rejects.toMatchObject({ type: 'version_conflict' });
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('theirs');
  expect(readdirSync(root)).toEqual(['a']);
});

test('tells what a promotion did', async () => {
  writeFileSync(join(root, 'a'), 'one');
  const { writer } = localWorkspace(root);
  const transaction = await writer?.begin();
  await transaction?.stage({ kind: 'write', path: 'a', content: bytes('two'), expected: any });
  await transaction?.stage({
    kind: 'write',
    path: 'n',
    content: bytes('new'),
    expected: any,
    executable: true,
  });
  expect(await transaction?.promoteAll()).toEqual([
    {
      path: 'a',
      action: 'modified',
      beforeSha256: sha256Hex('one'),
      afterSha256: sha256Hex('two'),
    },
    { path: 'n', action: 'created', beforeSha256: null, afterSha256: sha256Hex('new') },
  ]);
  expect(statSync(join(root, 'n')).mode & 0o100).toBe(0o100);
});

test('staging does not read the file that it will replace in any state', async () => {
  // Reading it would take longer than a test may.
  writeFileSync(join(root, 'sparse'), '');
  truncateSync(join(root, 'sparse'), 2 ** 40);
  const transaction = await localWorkspace(root).writer?.begin();
  await transaction?.stageFile({ path: 'sparse', expected: any });
  await transaction?.rollback();
  expect(readdirSync(root)).toEqual(['sparse']);
  mkdirSync(join(root, 'd'));
  const refused = await localWorkspace(root).writer?.begin();
  await expect(refused?.stageFile({ path: 'd', expected: any })).rejects.toMatchObject({
    reason: 'not_a_file',
  });
  await expect(
    refused?.stage({ kind: 'delete', path: 'none', expected: any }),
  ).rejects.toMatchObject({ type: 'not_found' });
});

test('staged bytes are read into memory that is given, where it is enough', async () => {
  const transaction = await localWorkspace(root).writer?.begin();
  const file = await transaction?.stageFile({ path: 'big', expected: any });
  await file?.write(0, bytes('hello world'));
  const memory = new Uint8Array(6);
  const part = await file?.read(6, 5, memory);
  expect(Buffer.from(part ?? []).toString()).toBe('world');
  expect(part?.buffer).toBe(memory.buffer);
  expect(Buffer.from((await file?.read(0, 11, memory)) ?? []).toString()).toBe('hello world');
  await transaction?.rollback();
});

test('staged bytes can be kept and gone on with', async () => {
  const { writer } = localWorkspace(root);
  const first = await writer?.begin();
  const file = await first?.stageFile({ path: 'big', expected: any, resumeKey: 'k' });
  await file?.write(0, bytes('hello '));
  await first?.rollback({ keep: true });
  expect((await localWorkspace(root).files?.list(''))?.length).toBe(0);
  const second = await writer?.begin();
  const again = await second?.stageFile({ path: 'big', expected: any, resumeKey: 'k' });
  expect(again?.initialSize).toBe(6);
  await again?.write(6, bytes('world'));
  await second?.promoteAll();
  expect(readFileSync(join(root, 'big'), 'utf8')).toBe('hello world');
  expect(readdirSync(root)).toEqual(['big']);
});

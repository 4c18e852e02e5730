import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listDirectory } from '../../src/files/list-directory.ts';

function openDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tw-list-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('a directory of several batches is listed whole, by the UTF-8 bytes of its names', async () => {
  const directory = openDirectory();
  const names = Array.from({ length: 1_500 }, (_, index) => `n${(index * 7) % 1_500}`);
  for (const name of [...names, 'é', '\uff5e', '😀']) writeFileSync(join(directory, name), '');
  const listed = (await listDirectory(directory)).map(({ name }) => name);
  const byBytes = (a: string, b: string): number =>
    Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
  expect(listed).toEqual(readdirSync(directory).toSorted(byBytes));
});

test('links are listed with their targets; an aborted listing and one of a file reject', async () => {
  const directory = openDirectory();
  writeFileSync(join(directory, 'f'), '');
  symlinkSync('f', join(directory, 'link'));
  expect(await listDirectory(directory)).toEqual([
    { name: 'f', kind: 'file' },
    { name: 'link', kind: 'symlink', linkTarget: 'f' },
  ]);
  await expect(listDirectory(directory, AbortSignal.abort())).rejects.toThrow(/abort/u);
  await expect(listDirectory(join(directory, 'f'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

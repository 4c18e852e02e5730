import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the first example of the README runs as written', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = await readFile(new URL('examples/readme.ts', import.meta.url), 'utf8');
  expect(/```ts\n([\s\S]*?)```/.exec(readme)?.[1]).toBe(example);
  // It asserts what it claims.
  await import('./examples/readme.ts');
});

test('it is plain JavaScript, for readers without a compiler', async () => {
  const example = await readFile(new URL('examples/readme.ts', import.meta.url), 'utf8');
  const directory = mkdtempSync(join(tmpdir(), 'readme-'));
  const file = join(directory, 'example.mjs');
  writeFileSync(file, example);
  try {
    expect(execFileSync(process.execPath, ['--check', file], { encoding: 'utf8' })).toBe('');
  } finally {
    rmSync(directory, { recursive: true });
  }
});

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

test('the first example of the README runs as written', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const example = await readFile(new URL('../examples/readme.ts', import.meta.url), 'utf8');
  expect(/```ts\n([\s\S]*?)```/.exec(readme)?.[1]).toBe(example);
  const before = process.cwd();
  process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
  onTestFinished(() => process.chdir(before));
  await import('../examples/readme.ts');
});

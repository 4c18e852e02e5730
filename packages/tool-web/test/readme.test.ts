import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isPlainJavaScript } from '../../../test-support/is-plain-javascript.ts';

test('the first example of the README runs as written', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = await readFile(new URL('examples/readme.ts', import.meta.url), 'utf8');
  expect(/```ts\n([\s\S]*?)```/.exec(readme)?.[1]).toBe(example);
  // It asserts what it claims.
  await import('./examples/readme.ts');
});

test('it is plain JavaScript, for readers without a compiler', async () => {
  const example = await readFile(new URL('examples/readme.ts', import.meta.url), 'utf8');
  expect(isPlainJavaScript(example)).toBe(true);
  expect(isPlainJavaScript(`${example}\nconst typed: number = 1;\n`)).toBe(false);
});

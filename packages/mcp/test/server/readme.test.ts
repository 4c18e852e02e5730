import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('the example of serving in the README runs as written', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const example = await readFile(new URL('../examples/serve.ts', import.meta.url), 'utf8');
  const serving = readme.slice(readme.indexOf('## Serve a session'));
  expect(/```ts\n([\s\S]*?)```/.exec(serving)?.[1]).toBe(example);
  await import('../examples/serve.ts');
});

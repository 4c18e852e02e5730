import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as documents from '../src/index.ts';

test('the first example of the README prints what it says', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const expected = Array.from(
    example.matchAll(/console\.log\(.*\); \/\/ (.*)/g),
    (match) => match[1],
  );
  const printed: string[] = [];
  const body = example.replace(/^import .*$/m, '');
  const run = new Function(
    'documents',
    'console',
    `return (async () => { const { decodeDocument } = documents; ${body} })();`,
  );
  await run(documents, { log: (...values: unknown[]) => printed.push(values.join(' ')) });
  expect(printed).toEqual(expected);
  expect(printed).toHaveLength(2);
});

import { readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';

test('the first example of the README runs as written', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n(?<code>[\s\S]*?)```/.exec(readme)?.groups?.['code'] ?? '';
  const module = new URL(`./readme-example-${process.pid}.ts`, import.meta.url);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await writeFile(module, example.replace("'@toolwright/core'", "'../src/index.ts'"));
    await import(module.href);
    expect(log.mock.calls).toEqual([['Hello, Ada.']]);
  } finally {
    log.mockRestore();
    await rm(module);
  }
});

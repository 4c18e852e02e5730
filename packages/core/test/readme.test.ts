import { readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';

/** What an example of the README says, run as written. */
async function run(number: number): Promise<unknown[][]> {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const examples = [...readme.matchAll(/```ts\n(?<code>[\s\S]*?)```/g)];
  const example = examples[number]?.groups?.['code'] ?? '';
  const module = new URL(`./readme-example-${process.pid}-${number}.ts`, import.meta.url);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await writeFile(module, example.replace("'@toolwright/core'", "'../src/index.ts'"));
    await import(module.href);
    return log.mock.calls;
  } finally {
    log.mockRestore();
    await rm(module);
  }
}

test('the first example of the README runs as written', async () => {
  expect(await run(0)).toEqual([['Hello, Ada.']]);
});

test('the host of the README governs as written', async () => {
  expect(await run(1)).toEqual([
    ['out/a.bin', 'done'],
    ['notes.txt', 'done'],
    ['notes.bin', 'confirmation_rejected'],
    ['secret/a.txt', 'permission_denied'],
    ['completed,completed,rejected,rejected'],
  ]);
});

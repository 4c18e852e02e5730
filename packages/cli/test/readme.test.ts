import { readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';

test('the first program of the README of the whole runs as written', async () => {
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  const example = await readFile(new URL('examples/readme.ts', import.meta.url), 'utf8');
  expect(/```ts\n([\s\S]*?)```/.exec(readme)?.[1]).toBe(example);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  await import('./examples/readme.ts');
  expect(log.mock.calls[0]?.[0]).toContain('     1\t{');
  expect(log.mock.calls[1]?.[0]).toMatch(/^[0-9a-f]{64}$/);
});

test('the first example of this README is true', async () => {
  const { commandLine } = await import('./session.ts');
  const cli = commandLine({ 'package.json': '{}\n' });
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const lines = /```sh\n([\s\S]*?)```/.exec(readme)?.[1]?.trim().split('\n') ?? [];
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    const words = line.replace(/ +#.*$/, '').match(/'[^']*'|\S+/g) ?? [];
    const argv = words.slice(2).map((word) => word.replaceAll("'", ''));
    expect(await cli.run(argv)).toMatchObject({ code: 0, stderr: '' });
  }
});

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

test('the first example of the README runs as written', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const file = new URL('./readme-example.ts', import.meta.url);
  const print = vi.spyOn(console, 'log').mockReturnValue();
  writeFileSync(file, example);
  try {
    await import(file.href);
    expect(print.mock.calls[0]?.[0]).toContain('README.md');
  } finally {
    rmSync(file);
    print.mockRestore();
  }
});

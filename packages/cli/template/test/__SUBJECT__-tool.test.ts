import { readFileSync } from 'node:fs';
import { createHost, memoryWorkspace } from '@toolwright/core';
import { expect, onTestFinished, test } from 'vitest';
import { __FACTORY__ } from '../src/index.ts';

async function call(files: Readonly<Record<string, string>>, filePath: string) {
  const host = createHost({ providers: [__FACTORY__()] });
  const session = await host.open({ workspace: memoryWorkspace({ files }) });
  onTestFinished(() => session.close());
  return session.invoke({ name: '__TOOL__', arguments: { file_path: filePath } });
}

test('counts lines and bytes, a last line without an end included', async () => {
  const result = await call({ 'a.txt': 'één\ntwo' }, 'a.txt');
  expect(result.output).toBe('2 lines, 9 bytes\n');
  expect(result.metadata).toMatchObject({
    file_path: 'a.txt',
    lines: 2,
    bytes: 9,
    complete: true,
  });
});

test('an empty file has no lines', async () => {
  expect((await call({ 'a.txt': '' }, 'a.txt')).output).toBe('0 lines, 0 bytes\n');
});

test('counts what it covers of a long file, and says so', async () => {
  const result = await call({ 'long.txt': 'x\n'.repeat(9 * 1024 * 1024) }, 'long.txt');
  expect(result.metadata).toMatchObject({ lines: 8 * 1024 * 1024, complete: false });
  expect(result.output).toContain('the rest was not counted');
});

test('a missing file is a typed failure', async () => {
  const { error, exit_code } = await call({}, 'missing.txt');
  expect({ type: error?.type, exit_code }).toEqual({ type: 'not_found', exit_code: 1 });
});

test('the provider tells the version of the package', () => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  expect(__FACTORY__().version).toBe(JSON.parse(manifest).version);
});

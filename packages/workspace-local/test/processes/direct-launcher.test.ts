import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { DirectLauncher } from '../../src/processes/direct-launcher.ts';
import { LocalProcess } from '../../src/processes/local-process.ts';
import { finish, isRunning } from './run-command.ts';

const request = {
  cwd: tmpdir(),
  env: { PATH: process.env['PATH'] ?? '' },
  token: 'x',
  sandboxed: false,
};

function handle(launched: ConstructorParameters<typeof LocalProcess>[0]): LocalProcess {
  return new LocalProcess(launched, {
    sandboxed: false,
    changedPaths: async () => null,
    onClosed: () => {},
  });
}

it('starts, feeds and ends programs over ordinary pipes', async () => {
  const launcher = new DirectLauncher();
  const cat = handle(await launcher.launch({ ...request, file: 'cat', args: [], input: true }));
  await cat.writeInput(Buffer.from('through\n'));
  await cat.endInput();
  expect(await finish(cat)).toMatchObject({ exitCode: 0, stdout: 'through\n' });
  const sleep = handle(
    await launcher.launch({ ...request, file: 'sleep', args: ['650'], input: false }),
  );
  expect(await isRunning(sleep.pid)).toBe(true);
  expect(await sleep.close()).toEqual([]);
  expect(await sleep.exit).toMatchObject({ signal: 'SIGKILL' });
  await expect(
    launcher.launch({ ...request, file: 'no-such-program', args: [], input: false }),
  ).rejects.toMatchObject({ type: 'not_found' });
  const left = handle(
    await launcher.launch({ ...request, file: 'sleep', args: ['651'], input: false }),
  );
  await launcher.close();
  expect(await isRunning(left.pid)).toBe(false);
  await expect(
    launcher.launch({ ...request, file: 'true', args: [], input: false }),
  ).rejects.toMatchObject({ type: 'cancelled' });
});

import { expect, test } from 'vitest';
import { openProject } from './open-project.ts';

const required = { kind: 'test', description: 'checks', required: true } as const;

test('commands are verified by the exit codes of the shell, before and after a fix', async () => {
  const { session } = await openProject({ files: { 'answer.txt': '41\n' } });
  const checks = [
    { ...required, id: 'answer', command: 'grep -qx 42 answer.txt' },
    { ...required, id: 'flood', command: 'yes | head -c 300000' },
    { ...required, id: 'grep', command: 'grep nothing answer.txt', expectExit: 1 },
  ];
  const before = await session.verifyCommands('the answer', checks);
  expect(before.status).toBe('failed');
  expect(before.checks.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'answer failed',
    'flood passed',
    'grep passed',
  ]);
  expect(before.checks[1]?.evidence_uris).toEqual([expect.stringMatching(/^a3s:/)]);
  await session.editFile('answer.txt', { oldString: '41', newString: '42' });
  const after = await session.verifyCommands('the answer', checks);
  expect(after.status).toBe('passed');
  expect(after.effect_digest).not.toBe(before.effect_digest);
  expect(session.verification.isVerified()).toBe(true);
});

test('checks that change nothing run side by side', async () => {
  const { session } = await openProject();
  await session.bash('mkfifo here there');
  // Each waits for the other one: one after the other they would never end.
  const report = await session.verifyCommands('both', [
    {
      ...required,
      id: 'a',
      kind: 'lint',
      command: 'echo a > there; read -r x < here; test "$x" = b',
    },
    {
      ...required,
      id: 'b',
      kind: 'typecheck',
      command: 'read -r x < there; echo b > here; test "$x" = a',
    },
  ]);
  expect(report.status).toBe('passed');
});

test('a command that is ended by its deadline has failed', async () => {
  const { session } = await openProject();
  const report = await session.verifyCommands('slow', [
    { ...required, id: 'slow', command: 'sleep 60', timeoutMs: 1_000 },
  ]);
  expect(report.checks).toMatchObject([{ id: 'slow', status: 'failed' }]);
});

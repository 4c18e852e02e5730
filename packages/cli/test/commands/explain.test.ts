import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../session.ts';

test('tells each effect of an agent’s call and the rule that decides it, and runs nothing', async () => {
  const cli = commandLine({ 'a.txt': 'a\n' });
  const config = join(cli.base, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({ policy: { deny: ['write:*.log'], allow: ['exec:rm *'] } }),
  );
  const command = 'rm -f a.txt > out.log; make';
  const explain = (more: readonly string[] = []) =>
    cli.run(['explain', 'bash', JSON.stringify({ command }), '--config', config, ...more]);
  expect(await explain()).toEqual({
    code: 0,
    stdout: [
      'deny: the rule "deny write:*.log" decides',
      '  allow  exec rm -f a.txt  (allow exec:rm *)',
      '  ask    exec make  (no rule)',
      '  deny   write out.log  (deny write:*.log)',
      '',
    ].join('\n'),
    stderr: '',
  });
  expect(JSON.parse((await explain(['--json'])).stdout)).toMatchObject({
    decision: 'deny',
    effects: [{ decision: 'allow' }, { decision: 'ask' }, { decision: 'deny' }],
  });
  expect([
    existsSync(join(cli.workspace, 'a.txt')),
    existsSync(join(cli.workspace, 'out.log')),
  ]).toEqual([true, false]);
});

test('a call that could not be made is told as denied, with what is wrong', async () => {
  const cli = commandLine();
  expect((await cli.run(['explain', 'raed'])).stdout).toContain('the nearest are read');
  expect((await cli.run(['explain', 'write', '{"file_path":"a"}'])).stdout).toContain('/content');
});

import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Effect, JsonObject } from '@toolwright/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bashTool } from '../../src/bash.ts';
import { openSession, type OpenedSession } from '../open-session.ts';

let sandboxed: OpenedSession;
let open: OpenedSession;

beforeAll(async () => {
  sandboxed = await openSession([bashTool()]);
  open = await openSession([bashTool()], { processes: { sandbox: { enabled: false } } });
});

afterAll(async () => {
  await sandboxed.close();
  await open.close();
});

async function effects(
  command: string,
  more: JsonObject = {},
  where: OpenedSession = sandboxed,
): Promise<readonly Effect[]> {
  const prepared = await where.session.prepare({ name: 'bash', arguments: { command, ...more } });
  return prepared.effects;
}

const exec = (target: string): Effect => ({ kind: 'exec', target });

describe('the effects of a command line', () => {
  it('are one exec a command and one write a redirection', async () => {
    expect(await effects('npm test > out.log 2>&1 && git push < in.txt')).toEqual([
      exec('npm test'),
      exec('git push'),
      { kind: 'write', target: 'out.log' },
      { kind: 'read', target: 'in.txt' },
    ]);
  });

  it('are at least one, so that a shell never starts unseen', async () => {
    expect(await effects('# nothing')).toEqual([exec(':')]);
    expect(await effects('> made')).toEqual([{ kind: 'write', target: 'made' }, exec(':')]);
  });

  it('are seen from where the command starts', async () => {
    mkdirSync(join(sandboxed.root, 'sub/dir'), { recursive: true });
    expect(await effects('a > ../x/f', { cwd: 'sub/dir' })).toContainEqual({
      kind: 'write',
      target: 'sub/x/f',
    });
    expect(await effects(`a > ${sandboxed.root}/in/side`)).toContainEqual({
      kind: 'write',
      target: 'in/side',
    });
  });

  it('leave out what the sandbox keeps from happening, and ask for it elsewhere', async () => {
    expect(await effects('a > /tmp/x')).toEqual([exec('a')]);
    expect(await effects('a > /tmp/x', {}, open)).toEqual([
      exec('a'),
      { kind: 'unknown', target: 'write /tmp/x' },
    ]);
    expect(await effects('a < ../../etc/passwd', {}, open)).toEqual([
      exec('a'),
      { kind: 'unknown', target: 'read ../../etc/passwd' },
    ]);
  });

  it('ask for what cannot be parsed, for the network and for leaving the sandbox', async () => {
    expect(await effects('echo $(')).toEqual([{ kind: 'unknown', target: 'echo $(' }]);
    expect(await effects('a > /dev/tcp/example.com/80')).toEqual([
      exec('a'),
      { kind: 'net', target: 'example.com:80' },
    ]);
    const escalated = { sandbox_permissions: 'require_escalated', justification: 'npm needs it' };
    expect(await effects('npm ci', escalated)).toEqual([
      exec('npm ci'),
      { kind: 'unknown', target: 'outside the sandbox: npm needs it' },
    ]);
  });

  it('are judged each on its own', async () => {
    const decision = async (command: string): Promise<string> =>
      (await sandboxed.session.prepare({ name: 'bash', arguments: { command } })).decision;
    expect(await decision('git status')).toBe('ask');
    expect(await decision('cd sub && git status')).toBe('ask');
    expect(await decision('echo x > made')).toBe('ask');
  });

  it.each([
    'pwd',
    'cd src/.. && echo "in $PWD"; true',
    'set -euo pipefail; [ -f a.txt ] || echo missing',
    'for i in 1 2 3; do printf "%s\\n" "$i"; done',
    'test -d src && command -v node',
    '# nothing',
    'echo() { echo mine; }; echo',
  ])('need no leave where only harmless builtins run: %s', async (command) => {
    const prepared = await sandboxed.session.prepare({ name: 'bash', arguments: { command } });
    expect(prepared.decision).toBe('allow');
  });

  it.each([
    'echo "$(cat a.txt)"',
    'echo `id`',
    'echo() { id; }; echo',
    'A=1 echo x',
    'PATH=. ; echo x',
    'export A=1; echo x',
    'printf -v PATH .; echo x',
    'echo x | sh',
    'echo x > f',
    '/bin/echo x',
    'env time -o f echo x',
    'xargs -a f echo',
    'test -v "a[$(id)]"',
    'set -a; echo x',
    'eval "$x"',
    'echo ${x@P}',
    'wait -p PATH; echo x',
    'trap id EXIT; echo x',
    'alias echo=id; echo x',
    "echo 'a[$(id)]'; echo $((_))",
    "echo 'a[$(id)]'; echo ${a:_}",
    'echo $((BASH_EXECUTION_STRING))',
  ])('ask where a builtin hides more: %s', async (command) => {
    const prepared = await sandboxed.session.prepare({ name: 'bash', arguments: { command } });
    expect(prepared.decision).toBe('ask');
  });
});

describe('bash in the sandbox', () => {
  it('cannot read ~/.ssh, reach loopback or write outside the workspace', async () => {
    const outside = join(sandboxed.root, '../tw-outside');
    const line = `ls ${homedir()}/.ssh; echo x > ${outside} || echo no write; echo > /dev/tcp/127.0.0.1/22 || echo no net`;
    const result = await sandboxed.session.tool('bash', { command: line });
    expect(result.metadata).toMatchObject({ sandboxed: true });
    expect(result.structured).toMatchObject({ stdout: 'no net\n' });
    expect(existsSync(outside)).toBe(false);
  });
});

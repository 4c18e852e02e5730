import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { commandLine } from './session.ts';

test('prints the output, or one JSON object with all of the result', async () => {
  const cli = commandLine({ 'a.txt': 'one\ntwo\n' });
  expect(await cli.run(['call', 'read', '{"file_path":"a.txt"}'])).toEqual({
    code: 0,
    stdout: '     1\tone\n     2\ttwo\n',
    stderr: '',
  });
  const json = await cli.run(['call', 'read', '-', '--json'], '{"file_path":"a.txt"}');
  expect(JSON.parse(json.stdout)).toMatchObject({
    name: 'read',
    output: '     1\tone\n     2\ttwo\n',
    exit_code: 0,
    metadata: { file_path: 'a.txt', a3s_tool_result_evidence: { loss_mode: 'none' } },
    error: null,
  });
});

test('exits with the exit code of the result, and tells the typed error', async () => {
  const cli = commandLine();
  const { code, stdout } = await cli.run(['call', 'read', '{"file_path":"nope"}', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    exit_code: 1,
    error: { type: 'not_found', retryable: false },
  });
  const unknown = await cli.run(['call', 'raed', '{}', '--json']);
  expect(JSON.parse(unknown.stdout).error).toMatchObject({
    type: 'unknown_tool',
    nearest: ['read'],
  });
});

test('wrong usage exits with 2 and nothing on stdout', async () => {
  const cli = commandLine();
  for (const argv of [
    [],
    ['frobnicate'],
    ['call'],
    ['call', 'read', '{'],
    ['call', 'read', '[]'],
    ['call', 'read', '{}', 'more'],
    ['explain'],
    ['explain', 'read', '{'],
    ['call', 'read', '{}', '--as', 'root'],
    ['call', 'read', '{}', '--no-such'],
    ['call', 'read', '{}', '--workspace', 'missing'],
    ['tools', 'raed'],
  ]) {
    const { code, stdout, stderr } = await cli.run(argv);
    expect([argv, code, stdout]).toEqual([argv, 2, '']);
    // What was wrong stays in sight: the whole usage is for --help.
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(stderr).not.toBe('');
  }
});

test('tools can be named, in the list and in the declarations', async () => {
  const cli = commandLine();
  const names = (text: string): string[] => text.match(/^ {0,2}\w+(?=\(|  )/gm) ?? [];
  expect(names((await cli.run(['tools', 'read', 'edit'])).stdout)).toEqual(['edit', 'read']);
  const { stdout } = await cli.run(['tools', 'read', '--types']);
  expect(names(stdout).map((name) => name.trim())).toEqual(['read']);
  expect((await cli.run(['tools', 'raed'])).stderr).toContain('There is no tool "raed"');
});

test('as agent, policy decides: what asks is refused without a terminal, unless --yes', async () => {
  const cli = commandLine({ 'a.txt': 'old' });
  const args = [
    'call',
    'write',
    '{"file_path":"a.txt","content":"new"}',
    '--as',
    'agent',
    '--json',
  ];
  const refused = await cli.run(args);
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout).error).toMatchObject({ type: 'confirmation_rejected' });
  expect(refused.stderr).toContain('--yes');
  expect(readFileSync(join(cli.workspace, 'a.txt'), 'utf8')).toBe('old');
  expect(await cli.run([...args, '--yes'])).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(cli.workspace, 'a.txt'), 'utf8')).toBe('new');
});

test('events go to stderr as JSON lines, in order, ending with tool_end', async () => {
  const cli = commandLine({ 'a.txt': 'one\n' });
  const { stderr } = await cli.run(['call', 'read', '{"file_path":"a.txt"}', '--events', '--json']);
  const types = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type);
  expect(types).toEqual(['tool_start', 'tool_request_bound', 'tool_execution_start', 'tool_end']);
});

test('jsonl: calls overlap, are matched by id, and can be cancelled', async () => {
  const cli = commandLine({ 'a.txt': 'one\n' });
  const input = new PassThrough();
  const running = cli.run(['call', '--jsonl'], input);
  const say = (value: unknown) => input.write(`${JSON.stringify(value)}\n`);
  say({ id: 'slow', name: 'bash', arguments: { command: 'sleep 30' } });
  say({ id: 7, name: 'read', arguments: { file_path: 'a.txt' } });
  input.write('not json\n\n');
  say({ name: 'read', arguments: { file_path: 'a.txt' } });
  say({ cancel: 'slow' });
  input.end();
  const { code, stdout } = await running;
  expect(code).toBe(0);
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(results).toHaveLength(4);
  const byId = new Map(results.map((result) => [result.id, result]));
  expect(byId.get('slow').error).toMatchObject({ type: 'cancelled' });
  expect(byId.get(7)).toMatchObject({ name: 'read', exit_code: 0 });
  expect(byId.get(null).error).toMatchObject({ type: 'invalid_argument' });
});

test('jsonl: lines that are odd or hostile are answered one by one, and the session goes on', async () => {
  const cli = commandLine({ 'a.txt': 'one\n' });
  const nested = '['.repeat(50_000) + ']'.repeat(50_000);
  const read = '"name":"read","arguments":{"file_path":"a.txt"}';
  const lines = [
    `{"id":${nested},${read}}`,
    `{"cancel":${nested}}`,
    '{"cancel":"nobody"}',
    `{"id":1,"name":"ls","arguments":{"path":${nested}}}`,
    '{"id":2,"name":"__proto__"}',
    '{"id":3,"name":"read","arguments":[]}',
    '\u0000',
    '5',
    `{"id":4,${read}}`,
    `{"id":"4",${read}}`,
    `{"id":false,${read}}`,
  ];
  const { code, stdout, stderr } = await cli.run(['call', '--jsonl'], `${lines.join('\n')}\n`);
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ id, exit_code, error }) => [id, exit_code, error?.type ?? null]);
  expect([code, stderr]).toEqual([0, '']);
  const bad = [null, 1, 'invalid_argument'];
  const byText = (one: unknown, other: unknown): number =>
    JSON.stringify(one).localeCompare(JSON.stringify(other));
  expect(answers.toSorted(byText)).toEqual(
    [
      [1, 1, 'invalid_argument'],
      [2, 1, 'unknown_tool'],
      [4, 0, null],
      ['4', 0, null],
      [false, 0, null],
      bad,
      bad,
      bad,
      bad,
      bad,
    ].toSorted(byText),
  );
});

test('a change is undone by another process, unless the file has changed since', async () => {
  const cli = commandLine({ 'a.txt': 'one\n' });
  const edit = async (from: string, to: string) =>
    JSON.parse(
      (
        await cli.run([
          'call',
          'edit',
          JSON.stringify({ file_path: 'a.txt', old_string: from, new_string: to }),
          '--json',
        ])
      ).stdout,
    ).id as string;
  const id = await edit('one', 'two');
  const list = await cli.run(['undo', '--json']);
  expect(JSON.parse(list.stdout)).toEqual({ undoable: [{ id, tool: 'edit', paths: ['a.txt'] }] });
  expect((await cli.run(['undo', id])).stdout).toBe('restored a.txt\n');
  expect(readFileSync(join(cli.workspace, 'a.txt'), 'utf8')).toBe('one\n');
  const second = await edit('one', 'three');
  writeFileSync(join(cli.workspace, 'a.txt'), 'mine\n');
  const refused = await cli.run(['undo', second, '--json']);
  expect(JSON.parse(refused.stdout).error).toMatchObject({ type: 'version_conflict' });
  expect(readFileSync(join(cli.workspace, 'a.txt'), 'utf8')).toBe('mine\n');
});

test('what one call cut, the next one reads by its URI', async () => {
  const cli = commandLine();
  const bash = await cli.run(['call', 'bash', '{"command":"seq 1 60000"}', '--json']);
  const uri = JSON.parse(bash.stdout).metadata.stdout.artifact_uri as string;
  const read = await cli.run([
    'call',
    'read',
    JSON.stringify({ file_path: uri, offset: 59_999, limit: 1 }),
  ]);
  expect(read.stdout).toBe(' 60000\t60000\n');
});

test('a config names its mistakes, and only --config or the user’s own directory has one', async () => {
  const cli = commandLine({ 'toolwright.config.json': '{"policy":{"preset":"nope"}}' });
  expect((await cli.run(['tools'])).code).toBe(0);
  const { code, stderr } = await cli.run(['tools', '--config', 'toolwright.config.json']);
  expect(code).toBe(2);
  expect(stderr).toContain('/policy/preset');
  writeFileSync(join(cli.workspace, 'ok.json'), '{"policy":{"deny":["read:secret.txt"]}}');
  writeFileSync(join(cli.workspace, 'secret.txt'), 's');
  const denied = await cli.run([
    'call',
    'read',
    '{"file_path":"secret.txt"}',
    '--as',
    'agent',
    '--json',
    '--config',
    'ok.json',
  ]);
  expect(JSON.parse(denied.stdout).error).toMatchObject({
    type: 'permission_denied',
    reason: 'policy',
  });
});

test('secrets of the environment that a config names never come out', async () => {
  const cli = commandLine({ 'a.txt': 'token: s3cr3t-value-1\n' });
  cli.env['TOKEN'] = 's3cr3t-value-1';
  writeFileSync(
    join(cli.workspace, 'c.json'),
    '{"mcpServers":{},"policy":{"rules":[{"decision":"ask","reason":"${env:TOKEN}"}]}}',
  );
  const { stdout, stderr } = await cli.run([
    'call',
    'read',
    '{"file_path":"a.txt"}',
    '--json',
    '--events',
    '--config',
    'c.json',
  ]);
  expect(stdout + stderr).not.toContain('s3cr3t-value-1');
  expect(JSON.parse(stdout).output).toBe('     1\ttoken: [REDACTED]\n');
  expect(existsSync(join(cli.base, 'state'))).toBe(true);
});

test('tools lists the surface, with --all what is not there and why', async () => {
  const cli = commandLine();
  const { tools } = JSON.parse((await cli.run(['tools', '--all', '--json'])).stdout);
  const read = tools.find(({ name }: { name: string }) => name === 'read');
  expect(read).toMatchObject({
    provider: 'fs',
    state: 'visible',
    capabilities: { readOnly: true },
  });
});

test('jsonl: arguments may arrive as their JSON text', async () => {
  const cli = commandLine({ 'a.txt': 'one\n' });
  const line = JSON.stringify({ id: 1, name: 'read', arguments: '{"file_path":"a.txt"}' });
  const { stdout } = await cli.run(['call', '--jsonl'], `${line}\n`);
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, output: '     1\tone\n', error: null });
});

test('an agent’s request that would carry out a secret of the environment is refused', async () => {
  const cli = commandLine();
  cli.env['GITHUB_TOKEN'] = 'ghp_0123456789abcdef0123';
  writeFileSync(
    join(cli.workspace, 'c.json'),
    JSON.stringify({
      policy: { allow: ['net:*.test'] },
      web: {
        resolve: { 'page.test': ['93.184.216.34'] },
        connect: { '93.184.216.34:80': '127.0.0.1:9' },
      },
    }),
  );
  const fetch = async (url: string) =>
    JSON.parse(
      (
        await cli.run([
          'call',
          'web_fetch',
          JSON.stringify({ url }),
          '--as',
          'agent',
          '--json',
          '--config',
          'c.json',
        ])
      ).stdout,
    ).error as { type: string };
  expect(await fetch('http://page.test/?t=ghp_0123456789abcdef0123')).toMatchObject({
    type: 'confirmation_rejected',
  });
  expect(await fetch('http://page.test/?t=nothing')).toMatchObject({ type: 'transport' });
});

test('tools --types writes what a model sees as TypeScript that compiles', async () => {
  const cli = commandLine();
  const { code, stdout } = await cli.run(['tools', '--types']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^interface CallOptions [^]*\n {2}read\(args\?: \{ [^]*\n\}\n$/);
  const json = JSON.parse((await cli.run(['tools', '--types', '--json'])).stdout);
  expect(json).toEqual({ types: stdout });
  const names = (await cli.run(['tools'])).stdout.split('\n').map((line) => line.split(' ')[0]);
  for (const name of names.filter((each) => each !== '')) {
    expect(stdout).toMatch(new RegExp(`\\n {2}${name}\\(args`));
  }
  writeFileSync(join(cli.workspace, 'tools.d.ts'), stdout);
  writeFileSync(
    join(cli.workspace, 'use.ts'),
    `declare const tools: Tools;
     export const ok = tools.read({ file_path: 'a.txt', limit: 3 }).then(({ text }) => text.length);
     // @ts-expect-error limit is a number
     export const wrong = tools.read({ file_path: 'a.txt', limit: 'many' });`,
  );
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  await promisify(execFile)(
    join(repository, 'node_modules/.bin/tsc'),
    ['--strict', '--noEmit', '--lib', 'es2023', 'tools.d.ts', 'use.ts'],
    {
      cwd: cli.workspace,
    },
  );
});

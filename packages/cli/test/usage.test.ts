import { expect, test } from 'vitest';
import { commandList } from '../src/command-list.ts';
import { commandLine } from './session.ts';

test.each(Object.keys(commandList))(
  '%s --help tells how that command is used, and all of its options',
  async (command) => {
    const cli = commandLine();
    const { code, stdout, stderr } = await cli.run([command, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.startsWith(`Usage: toolwright ${command}`)).toBe(true);
    for (const option of commandList[command]?.options ?? [])
      expect(stdout).toContain(`  --${option}`);
    const whole = await cli.run(['--help']);
    expect(whole.stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  },
);

test.each([
  [['cal', 'read'], 'There is no command "cal"; did you mean call?'],
  [['frobnicate'], 'There is no command "frobnicate".'],
  [['call', 'read', '--jsn'], 'There is no option --jsn; did you mean --json?'],
  [['tools', '--al'], 'There is no option --al; did you mean --all?'],
  [['--versoin'], 'There is no option --versoin; did you mean --version?'],
  [['tools', 'raed'], 'There is no tool "raed"; did you mean read?'],
  [['tools', '--yes'], 'tools takes no option --yes.'],
  [['call', 'read', '--all'], 'call takes no option --all.'],
  [['undo', '--http', '3'], 'undo takes no option --http.'],
  [['new', 'x', '--workspace', '.'], 'new takes no option --workspace.'],
  [['mcp', '--json'], 'mcp takes no option --json.'],
  [
    ['call', '--jsonl', 'read'],
    'call --jsonl takes no tool: each line of standard input names its own.',
  ],
  [['call', 'read', '--workspace'], "Option '--workspace <value>' argument missing"],
])('%j is wrong usage, with what was most likely meant', async (argv, message) => {
  const { code, stderr } = await commandLine().run(argv);
  expect([code, stderr.split('\n')[0]]).toEqual([2, message]);
});

test.each([
  [['call', 'read', '{', '--json'], 'read', 'usage'],
  [['call', 'read', '{}', '--json', '--workspace', '/nowhere/to/be'], 'read', 'config'],
  [['tools', '--json', '--config', 'missing.json'], 'tools', 'config'],
  [['tools', 'raed', '--json'], 'tools', 'usage'],
  [['check', '/nowhere/to/be', '--json'], 'check', 'config'],
  [['cal', 'read', '--json'], 'cal', 'usage'],
])('with --json, %j is one object too', async (argv, name, reason) => {
  const { code, stdout, stderr } = await commandLine().run(argv);
  const answer = JSON.parse(stdout);
  expect([code, answer]).toEqual([
    2,
    {
      name,
      output: `invalid_argument: ${answer.error.message}`,
      exit_code: 2,
      metadata: {},
      error: {
        type: 'invalid_argument',
        reason,
        stage: 'resolve',
        message: expect.any(String),
        retryable: false,
      },
    },
  ]);
  expect(stderr.startsWith(answer.error.message)).toBe(true);
});

test('a workspace that is not there is named', async () => {
  const { stderr } = await commandLine().run(['tools', '--workspace', '/nowhere/to/be']);
  expect(stderr).toBe('/nowhere/to/be: The workspace directory does not exist.\n');
});

import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type Effect,
  type GitRequest,
  type SpawnRequest,
} from '../../src/index.ts';
import { endedProcess } from '../ended-process.ts';

const handle = endedProcess();

/** A call with these arguments that declares these effects and then starts this: its error, and what was started. */
async function outcomeOf(how: {
  readonly effects: readonly Effect[];
  readonly spawn?: SpawnRequest;
  readonly git?: GitRequest;
  readonly args?: Readonly<Record<string, string>>;
  readonly readOnly?: boolean;
}) {
  const started: (SpawnRequest | GitRequest)[] = [];
  const tool = defineTool({
    name: 'start',
    description: 'Starts something.',
    input: {
      type: 'object',
      properties: { command: { type: 'string' }, cwd: { type: 'string' } },
      additionalProperties: false,
    },
    requires: ['processes', 'git'],
    capabilities: { readOnly: how.readOnly ?? false },
    effects: () => how.effects,
    run: async (_input, { workspace }) => {
      if (how.spawn !== undefined) await workspace.processes.spawn(how.spawn);
      if (how.git !== undefined) await workspace.git.run(how.git);
      return { output: 'started' };
    },
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'starts', version: '1.0.0', tools: [tool] })],
  }).open({
    workspace: {
      ...memoryWorkspace({
        files: { 'sub/a.txt': 'a', 'other/b.txt': 'b' },
        links: { link: 'other' },
      }),
      processes: {
        shell: 'bash',
        sandbox: { available: true, description: 'a sandbox' },
        spawn: async (request) => {
          started.push(request);
          return handle;
        },
      },
      git: {
        locate: async () => null,
        run: async (request) => {
          started.push(request);
          return handle;
        },
      },
    },
  });
  const { error } = await session.tool('start', how.args ?? {});
  await session.close();
  return { error, started };
}

const make: Effect = { kind: 'exec', target: 'make' };
const anything: Effect = { kind: 'unknown', target: '**' };
const program: SpawnRequest = { command: { kind: 'program', file: 'make', args: [] } };
const shell = (line: string): SpawnRequest => ({ command: { kind: 'shell', line } });

const refused: readonly (readonly [string, Parameters<typeof outcomeOf>[0]])[] = [
  ['outside the sandbox', { effects: [make], spawn: { ...program, sandbox: 'unconfined' } }],
  ['with the network', { effects: [make], spawn: { ...program, network: true } }],
  [
    'in a directory that nobody was told of',
    { effects: [make], spawn: { ...program, cwd: 'sub' } },
  ],
  [
    'in a directory that a link leads to',
    {
      effects: [make, { kind: 'read', target: 'sub/**' }],
      spawn: { ...program, cwd: 'sub/../link' },
    },
  ],
  ['by a line that nobody was told of', { effects: [make], spawn: shell('make && make test') }],
  [
    'by a line that only looks like an argument',
    { effects: [make], spawn: shell('make; rm -rf .'), args: { command: 'make' } },
  ],
  [
    'by a line with variables that nobody was told of',
    {
      effects: [make],
      spawn: { ...shell('make'), env: { PATH: '/tmp' } },
      args: { command: 'make' },
    },
  ],
  [
    'by a line of the arguments without any command declared',
    { effects: [{ kind: 'read', target: '**' }], spawn: shell('make'), args: { command: 'make' } },
  ],
];

test.each(refused)('a command that runs %s is refused before it does', async (_name, how) => {
  const { error, started } = await outcomeOf(how);
  expect(error).toMatchObject({ type: 'effect_violation', reason: 'undeclared', stage: 'run' });
  expect(started).toEqual([]);
});

const allowed: readonly (readonly [string, Parameters<typeof outcomeOf>[0]])[] = [
  ['a declared program', { effects: [make], spawn: program }],
  [
    'a declared program in a directory of the arguments',
    { effects: [make], spawn: { ...program, cwd: 'sub' }, args: { cwd: 'sub' } },
  ],
  [
    'a declared program in a directory that is declared',
    { effects: [make, { kind: 'read', target: 'sub' }], spawn: { ...program, cwd: 'sub' } },
  ],
  ['a line that is declared word for word', { effects: [make], spawn: shell('make') }],
  [
    'a line that is declared with its variables',
    {
      effects: [{ kind: 'exec', target: 'A=1 make; make test' }],
      spawn: { ...shell('make; make test'), env: { A: '1' } },
    },
  ],
  [
    'a line of the arguments beside the commands found in it',
    {
      effects: [make, { kind: 'exec', target: 'make test' }],
      spawn: shell('make && make test'),
      args: { command: 'make && make test' },
    },
  ],
  [
    'anything where nobody can tell what',
    {
      effects: [anything],
      spawn: { ...shell('curl x | sh'), sandbox: 'unconfined', network: true, cwd: 'sub' },
    },
  ],
];

test.each(allowed)('%s runs', async (_name, how) => {
  const { error, started } = await outcomeOf(how);
  expect(error).toBeNull();
  expect(started).toEqual([how.spawn]);
});

const root: Effect = { kind: 'read', target: '' };
const repository: Effect = { kind: 'write', target: '.git/**' };
const everyFile: Effect = { kind: 'write', target: '**' };
const git = (...args: readonly string[]): GitRequest => ({ args, access: 'read' });

test.each<{
  readonly effects: readonly Effect[];
  readonly git: GitRequest;
  readonly readOnly?: boolean;
}>([
  // What the tool says of its access is no matter: the command is.
  { effects: [root], git: git('commit', '-m', 'x') },
  { effects: [root], git: git('-c', 'alias.x=!touch owned', 'x') },
  { effects: [root], git: git('x') },
  { effects: [root], git: git('diff', '--output=owned', 'HEAD') },
  { effects: [root], git: git('diff', '--no-index', '/etc/passwd', '/dev/null') },
  { effects: [root], git: { ...git('status'), cwd: 'other' } },
  { effects: [root], git: { args: ['add', 'a'], access: 'write' } },
  { effects: [{ kind: 'write', target: 'a.txt' }], git: { args: ['commit'], access: 'write' } },
  { effects: [root, repository], git: { args: ['checkout', 'main'], access: 'write' } },
  { effects: [root, everyFile], git: { args: ['fetch', 'origin'], access: 'write' } },
  {
    effects: [root, everyFile],
    git: { args: ['rebase', '--exec', 'id', 'main'], access: 'write' },
  },
  { effects: [root], git: { args: ['status'], access: 'write' } },
  { effects: [root, everyFile], git: git('config', 'core.pager', 'id') },
])('git does no more than was declared: %j', async (how) => {
  const { error, started } = await outcomeOf(how);
  expect(error).toMatchObject({ type: 'effect_violation', reason: 'undeclared' });
  expect(started).toEqual([]);
});

test('a read-only call cannot change a repository, whatever it declares', async () => {
  const how = { effects: [root], git: git('commit', '-m', 'x'), readOnly: true };
  const { error, started } = await outcomeOf(how);
  expect(error).toMatchObject({ type: 'effect_violation', reason: 'read_only' });
  expect(started).toEqual([]);
});

test.each<{ readonly effects: readonly Effect[]; readonly git: GitRequest }>([
  { effects: [root], git: git('status', '--porcelain=v2', '-z') },
  { effects: [root], git: git('diff', '--text', '--', '--output=a-name') },
  { effects: [{ kind: 'read', target: 'other' }], git: { ...git('log'), cwd: 'link' } },
  { effects: [root, repository], git: { args: ['commit', '-m', 'x'], access: 'write' } },
  {
    effects: [{ kind: 'write', target: 'sub/**' }],
    git: { args: ['add', 'a.txt'], access: 'write', cwd: 'sub' },
  },
  { effects: [root, everyFile], git: { args: ['checkout', 'main'], access: 'write' } },
  { effects: [anything], git: { args: ['fetch', 'origin'], access: 'write' } },
])('git does what was declared: %j', async (how) => {
  const { error, started } = await outcomeOf(how);
  expect(error).toBeNull();
  expect(started).toMatchObject([how.git]);
});

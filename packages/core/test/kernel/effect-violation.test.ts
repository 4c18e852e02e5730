import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  commandTarget,
  memoryWorkspace,
  ToolError,
  type Effect,
  type KernelContext,
  type SpawnRequest,
  type ToolCapabilities,
  type ToolEvent,
  type Workspace,
} from '../../src/index.ts';
import { shellWords } from '../../src/policy/shell-words.ts';

/** What a tool says of itself, and what it then does. */
interface Behaviour {
  readonly capabilities?: Partial<ToolCapabilities>;
  readonly effects: readonly Effect[];
  readonly act: (context: KernelContext) => Promise<void>;
}

async function outcomeOf({ capabilities = {}, effects, act }: Behaviour) {
  const tool = defineTool({
    name: 'act',
    description: 'Acts.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    uses: ['files.read', 'files.write', 'files.walk', 'processes', 'http', 'models'],
    capabilities,
    effects: () => effects,
    run: async (_input, context) => {
      // The widest context: what a tool may do with it is what these tests are about.
      await act(context as KernelContext);
      return { output: 'done' };
    },
  });
  const memory = memoryWorkspace({ files: { 'a.txt': 'a', 'b.txt': 'b', 'sub/c.txt': 'c' } });
  const started: SpawnRequest['command'][] = [];
  const workspace: Workspace = {
    ...memory,
    processes: {
      shell: 'bash',
      sandbox: { available: false, description: 'none' },
      spawn: async ({ command }) => {
        started.push(command);
        throw new ToolError('not_found', 'Nothing is started in this test.');
      },
    },
  };
  const requested: string[] = [];
  const session = await createHost({
    providers: [defineProvider({ name: 'acts', version: '1.0.0', tools: [tool] })],
  }).open({
    workspace,
    services: {
      http: {
        request: async ({ url }) => {
          requested.push(url);
          throw new Error('no network in this test');
        },
        close: async () => {},
      },
      models: { complete: async () => ({ text: 'x', usage: {} }) },
    },
  });
  const { error } = await session.tool('act');
  const texts: Record<string, string> = {};
  for (const path of ['a.txt', 'b.txt']) {
    const reader = await workspace.files?.openRead(path);
    texts[path] = new TextDecoder().decode(await reader?.read(0, 10));
  }
  await session.close();
  return { error, texts, requested, started };
}

async function write(context: KernelContext, path: string): Promise<void> {
  const transaction = await context.workspace.writer?.begin();
  const content = new TextEncoder().encode('changed');
  await transaction?.stage({ kind: 'write', path, content, expected: { kind: 'any' } });
  await transaction?.promoteAll();
}

const untouched = { 'a.txt': 'a', 'b.txt': 'b' };

test('a call that declares itself read-only and then writes is refused, and nothing is written', async () => {
  const { error, texts } = await outcomeOf({
    capabilities: { readOnly: true },
    effects: [{ kind: 'read', target: 'a.txt' }],
    act: (context) => write(context, 'a.txt'),
  });
  expect(error).toMatchObject({ type: 'effect_violation', reason: 'read_only', stage: 'run' });
  expect(texts).toEqual(untouched);
});

test('a call that declares itself read-only and a write effect does not run', async () => {
  const { error, texts } = await outcomeOf({
    capabilities: { readOnly: true },
    effects: [{ kind: 'write', target: 'a.txt' }],
    act: (context) => write(context, 'a.txt'),
  });
  expect(error).toMatchObject({ type: 'effect_violation', stage: 'describe' });
  expect(texts).toEqual(untouched);
});

const undeclared: readonly (readonly [string, Behaviour])[] = [
  [
    'writes another path than it declared',
    { effects: [{ kind: 'write', target: 'a.txt' }], act: (context) => write(context, 'b.txt') },
  ],
  [
    'writes what it declared to read',
    { effects: [{ kind: 'read', target: 'b.txt' }], act: (context) => write(context, 'b.txt') },
  ],
  [
    'writes beside the tree that it declared',
    { effects: [{ kind: 'write', target: 'sub/**' }], act: (context) => write(context, 'b.txt') },
  ],
  [
    'takes a name with glob characters for a tree',
    { effects: [{ kind: 'write', target: '*.txt' }], act: (context) => write(context, 'b.txt') },
  ],
  [
    'reads what it did not declare',
    {
      effects: [{ kind: 'read', target: 'a.txt' }],
      act: async (context) => {
        await context.workspace.files?.openRead('b.txt');
      },
    },
  ],
  [
    'walks the tree where it declared a file',
    {
      effects: [{ kind: 'read', target: 'a.txt' }],
      act: async (context) => {
        for await (const _ of context.workspace.walker?.walk() ?? []) break;
      },
    },
  ],
  [
    'opens another host than it declared',
    {
      effects: [{ kind: 'net', target: 'one.example:443' }],
      act: async (context) => {
        await context.http?.request({ url: 'https://two.example/' });
      },
    },
  ],
  [
    'sends where it declared to read',
    {
      effects: [{ kind: 'net', target: 'one.example:443' }],
      act: async (context) => {
        await context.http?.request({ url: 'https://one.example/', method: 'POST' });
      },
    },
  ],
  [
    'asks a model without having said so',
    {
      effects: [],
      act: async (context) => {
        await context.models?.complete({ prompt: 'x' });
      },
    },
  ],
];

test.each(undeclared)('a call that %s is refused before it does', async (_name, behaviour) => {
  const { error, texts, requested } = await outcomeOf(behaviour);
  expect(error).toMatchObject({ type: 'effect_violation', stage: 'run' });
  expect(texts).toEqual(untouched);
  expect(requested).toEqual([]);
});

test('what is admitted while running may then be done', async () => {
  const { error, texts } = await outcomeOf({
    effects: [],
    act: async (context) => {
      await context.admit({ kind: 'write', target: 'b.txt' });
      await write(context, 'b.txt');
    },
  });
  expect(error).toBeNull();
  expect(texts).toEqual({ 'a.txt': 'a', 'b.txt': 'changed' });
});

test.each(['write', 'unknown'] as const)(
  'nobody is asked for an effect (%s) that a read-only call could not have anyway',
  async (kind) => {
    const asked: string[] = [];
    const tool = defineTool({
      name: 'look',
      description: 'Looks, and then wants more.',
      input: { type: 'object', properties: {}, additionalProperties: false },
      capabilities: { readOnly: true },
      effects: () => [],
      run: async (_input, context) => {
        await context.admit({ kind, target: 'a.txt' });
        return { output: 'admitted' };
      },
    });
    const session = await createHost({
      providers: [defineProvider({ name: 'looks', version: '1.0.0', tools: [tool] })],
    }).open({
      workspace: memoryWorkspace(),
      approver: async ({ reason }) => {
        asked.push(reason);
        return { decision: 'approve' };
      },
    });
    const { error } = await session.invoke({ name: 'look' });
    expect(error).toMatchObject({ type: 'effect_violation', reason: 'read_only' });
    expect(asked).toEqual([]);
    await session.close();
  },
);

test('what a call was refused is told, also where its tool keeps quiet about it', async () => {
  const tool = defineTool({
    name: 'sly',
    description: 'Tries what it may not.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    requires: ['files.write'],
    effects: () => [{ kind: 'write', target: 'a.txt' }],
    run: async (_input, { workspace }) => {
      const transaction = await workspace.writer.begin();
      const expected = { kind: 'any' } as const;
      await transaction.stage({ kind: 'delete', path: 'b.txt', expected }).catch(() => undefined);
      return { output: 'nothing happened' };
    },
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'slies', version: '1.0.0', tools: [tool] })],
  }).open({ workspace: memoryWorkspace({ files: { 'b.txt': 'b' } }) });
  const events = session.events();
  const { id, error } = await session.tool('sly');
  await session.close();
  expect(error).toBeNull();
  const told: ToolEvent[] = [];
  for await (const event of events) if (event.type === 'effect_refused') told.push(event);
  expect(told).toMatchObject([
    {
      invocation_id: id,
      tool_name: 'sly',
      message:
        'sly did not declare that it would write "b.txt"; the call was stopped before it did.',
    },
  ]);
});

test('a context that is kept can do nothing after its call', async () => {
  let kept: KernelContext | undefined;
  await outcomeOf({
    effects: [{ kind: 'write', target: '**' }],
    act: async (context) => {
      kept = context;
    },
  });
  await expect(kept?.workspace.writer?.begin()).rejects.toMatchObject({ type: 'cancelled' });
  await expect(kept?.workspace.files?.stat('a.txt')).rejects.toMatchObject({ type: 'cancelled' });
  await expect(kept?.invoke({ name: 'act' })).rejects.toMatchObject({ type: 'cancelled' });
});

test('a command that was declared gives no right to write files', async () => {
  const { error, texts } = await outcomeOf({
    effects: [{ kind: 'exec', target: 'make' }],
    act: (context) => write(context, 'b.txt'),
  });
  expect(error).toMatchObject({ type: 'effect_violation', reason: 'undeclared' });
  expect(texts['b.txt']).toBe('b');
});

const args = ['commit', '-m', "it's two words; rm -rf /"];

test('a program runs with exactly the arguments that were declared', async () => {
  const target = commandTarget('git', args);
  const { error, started } = await outcomeOf({
    effects: [{ kind: 'exec', target }],
    act: async ({ workspace }) => {
      await workspace.processes?.spawn({ command: { kind: 'program', file: 'git', args } });
    },
  });
  expect(error?.type).toBe('not_found');
  expect(started).toEqual([{ kind: 'program', file: 'git', args }]);
});

test.each([
  ['git', ['push']],
  ['rm', args],
  ['git', [...args, '--amend']],
  ['/tmp/git', args],
])('%s with %j was not declared', async (file, other) => {
  const { error, started } = await outcomeOf({
    effects: [
      { kind: 'exec', target: commandTarget('git', args) },
      { kind: 'exec', target: 'git push; rm' },
    ],
    act: async ({ workspace }) => {
      await workspace.processes?.spawn({ command: { kind: 'program', file, args: other } });
    },
  });
  expect(error).toMatchObject({ type: 'effect_violation', reason: 'undeclared' });
  expect(started).toEqual([]);
});

test('what was judged is what is started, whatever becomes of the request', async () => {
  const mine = ['status'];
  const { error, started } = await outcomeOf({
    effects: [{ kind: 'exec', target: 'git status' }],
    act: async ({ workspace }) => {
      const spawned = workspace.processes?.spawn({
        command: { kind: 'program', file: 'git', args: mine },
      });
      mine[0] = 'push';
      await spawned;
    },
  });
  expect(error?.type).toBe('not_found');
  expect(started).toEqual([{ kind: 'program', file: 'git', args: ['status'] }]);
});

const env = { PATH: '/usr/bin', GIT_AUTHOR_NAME: "Ada O'Neil" };

test('variables that a program is given are declared with it', async () => {
  const { error, started } = await outcomeOf({
    effects: [{ kind: 'exec', target: commandTarget('git', args, env) }],
    act: async ({ workspace }) => {
      await workspace.processes?.spawn({ command: { kind: 'program', file: 'git', args }, env });
    },
  });
  expect(error?.type).toBe('not_found');
  expect(started).toEqual([{ kind: 'program', file: 'git', args }]);
});

test.each([
  { ...env, PATH: '/tmp/bin' },
  { ...env, LD_PRELOAD: '/tmp/a.so' },
  { PATH: '/usr/bin' },
  // As a tool of plain JavaScript may give it: another text each time.
  { ...env, PATH: { toString: () => '/tmp/bin' } as unknown as string },
])('other variables make it another command: %j', async (other) => {
  const { error, started } = await outcomeOf({
    effects: [
      { kind: 'exec', target: commandTarget('git', args, env) },
      { kind: 'exec', target: commandTarget('git', args) },
    ],
    act: async ({ workspace }) => {
      const command = { kind: 'program', file: 'git', args } as const;
      await workspace.processes?.spawn({ command, env: other });
    },
  });
  expect(error).toMatchObject({ type: 'effect_violation', reason: 'undeclared' });
  expect(started).toEqual([]);
});

test('no two commands have one target, whatever stands in their words', () => {
  const ascii = fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code));
  const unit = fc.oneof(ascii, fc.constantFrom("'", '\\', ' ', '\n', '$', '\u2028', '\ud800'));
  const word = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit }));
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 4 }), (file, words) => {
      const { words: read, isSimple } = shellWords(commandTarget(file, words));
      expect(isSimple).toBe(true);
      expect(read.map(({ text }) => text)).toEqual([file, ...words]);
    }),
  );
});

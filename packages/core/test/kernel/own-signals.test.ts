import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type KernelContext,
  type Workspace,
} from '../../src/index.ts';

type Use = (context: KernelContext, signal: AbortSignal) => Promise<unknown> | undefined;

const pattern = { pattern: 'x', literal: true, caseSensitive: true, multiline: false } as const;
const gather = { gather: 'lines', context: 0, limit: 1, timeoutMs: 1 } as const;

const uses: readonly (readonly [string, Use])[] = [
  ['http', ({ http }, signal) => http?.request({ url: 'https://example.com/', signal })],
  ['models', ({ models }, signal) => models?.complete({ prompt: 'x', signal })],
  ['embeddings', ({ embeddings }, signal) => embeddings?.embed(['x'], { signal })],
  [
    'browser',
    ({ browser }, signal) =>
      browser?.render({ url: 'https://example.com/', timeoutMs: 1, maxBytes: 1, signal }),
  ],
  ['files', ({ workspace }, signal) => workspace.files?.stat('a.txt', { signal })],
  ['writer', ({ workspace }, signal) => workspace.writer?.begin({ signal })],
  [
    'git',
    ({ workspace }, signal) => workspace.git?.run({ args: ['status'], access: 'read', signal }),
  ],
  [
    'grep',
    ({ workspace }, signal) =>
      workspace.search?.grep({
        ...pattern,
        ...gather,
        path: '',
        hidden: true,
        ignore: true,
        signal,
      }),
  ],
  [
    'grepText',
    ({ workspace }, signal) =>
      workspace.search?.grepText({
        ...pattern,
        ...gather,
        name: 'x',
        content: new Uint8Array(),
        signal,
      }),
  ],
];

/** Makes a call that uses a service with a signal of its own; `stop` ends the call, `stopOwn` the tool's signal. */
async function using(use: Use) {
  const own = new AbortController();
  const caller = new AbortController();
  let tell: (signal: AbortSignal | undefined) => void = () => {};
  const reached = new Promise<AbortSignal | undefined>((resolve) => {
    tell = resolve;
  });
  const never = async (options?: { readonly signal?: AbortSignal }): Promise<never> => {
    tell(options?.signal);
    return new Promise(() => {});
  };
  const memory = memoryWorkspace({ files: { 'a.txt': 'a' } });
  const workspace: Workspace = {
    ...memory,
    files: {
      ...memory.files!,
      stat: async (path, options) =>
        path === 'a.txt' ? never(options) : memory.files!.stat(path, options),
    },
    writer: { begin: never },
    git: { locate: async () => null, run: never },
    search: { grep: never, grepText: never, close: async () => {} },
  };
  const tool = defineTool({
    name: 'use',
    description: 'Uses a service with a signal of its own.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    uses: ['http', 'models', 'embeddings', 'browser', 'files.read', 'files.write', 'git', 'search'],
    effects: () => [
      { kind: 'write', target: '**' },
      { kind: 'net', target: 'example.com:443' },
      { kind: 'model', target: 'default' },
    ],
    run: async (_input, context) => {
      // The widest context: each test uses one service of it.
      await use(context as unknown as KernelContext, own.signal);
      return { output: 'done' };
    },
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'uses', version: '1.0.0', tools: [tool] })],
  }).open({
    workspace,
    services: {
      http: { request: never, close: async () => {} },
      models: { complete: never },
      embeddings: { id: 'none', dimensions: 1, embed: (_texts, options) => never(options) },
      browser: { render: never, close: async () => {} },
    },
  });
  const result = session.tool('use', {}, { signal: caller.signal });
  const signal = await reached;
  return { signal, own, caller, result, session };
}

test.each(uses)(
  'a tool that gives %s a signal of its own is stopped with its call',
  async (_name, use) => {
    const { signal, caller, result, session } = await using(use);
    expect(signal?.aborted).toBe(false);
    caller.abort();
    expect(signal?.aborted).toBe(true);
    expect((await result).error?.type).toBe('cancelled');
    await session.close();
  },
);

test.each(uses)('the signal that a tool gives %s stops that work alone', async (_name, use) => {
  const { signal, own, caller, result, session } = await using(use);
  own.abort();
  expect(signal?.aborted).toBe(true);
  expect(session.activeTools()).toHaveLength(1);
  caller.abort();
  await result;
  await session.close();
});

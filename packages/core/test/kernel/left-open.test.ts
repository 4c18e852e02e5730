import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type HostServices,
  type KernelContext,
  type ProcessHandle,
  type Workspace,
} from '../../src/index.ts';

/** A workspace and an HTTP client that know what is open, and open nothing until `gate` does. */
function counted(gate: () => Promise<void>) {
  const open: string[] = [];
  const closing = (name: string) => async (): Promise<void> => {
    const at = open.indexOf(name);
    if (at >= 0) open.splice(at, 1);
  };
  const memory = memoryWorkspace({ files: { 'a.txt': 'a' } });
  const process = (name: string): ProcessHandle => {
    open.push(name);
    const close = once(closing(name));
    return {
      pid: 1,
      sandboxed: false,
      output: (async function* () {})(),
      exit: new Promise(() => {}),
      writeInput: async () => {},
      endInput: async () => {},
      changedPaths: async () => null,
      members: async () => [],
      kill: async () => {},
      close: () => close().then(() => []),
    };
  };
  const workspace: Workspace = {
    ...memory,
    files: {
      stat: async (path, options) => memory.files!.stat(path, options),
      list: async (path) => memory.files!.list(path),
      openRead: async (path, options) => {
        await gate();
        const reader = await memory.files!.openRead(path, options);
        open.push('reader');
        return {
          stat: reader.stat,
          read: (start, length) => reader.read(start, length),
          close: once(closing('reader')),
        };
      },
    },
    writer: {
      begin: async () => {
        await gate();
        const transaction = await memory.writer!.begin();
        open.push('transaction');
        const end = once(closing('transaction'));
        return {
          stage: (change) => transaction.stage(change),
          stageFile: (file) => transaction.stageFile(file),
          promoteAll: async () => {
            const changes = await transaction.promoteAll();
            await end();
            return changes;
          },
          rollback: async (how) => {
            await end();
            await transaction.rollback(how);
          },
        };
      },
    },
    processes: {
      shell: 'bash',
      sandbox: { available: false, description: 'none' },
      spawn: async () => gate().then(() => process('process')),
    },
    git: { locate: async () => null, run: async () => gate().then(() => process('git')) },
  };
  const services: HostServices = {
    http: {
      request: async ({ url }) => {
        await gate();
        open.push('response');
        return {
          status: 200,
          headers: {},
          url,
          redirects: [],
          body: (async function* () {})(),
          cancel: once(closing('response')),
        };
      },
      close: async () => {},
    },
  };
  return { open, workspace, services };
}

/** Closing again does nothing. */
function once(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => (closed ??= close());
}

/** Opens one of everything and closes nothing. */
async function openAll({ workspace, http }: KernelContext): Promise<void> {
  const opening = await Promise.allSettled([
    workspace.files?.openRead('a.txt'),
    workspace.writer?.begin(),
    workspace.processes?.spawn({ command: { kind: 'program', file: 'make', args: [] } }),
    workspace.git?.run({ args: ['status'], access: 'read' }),
    http?.request({ url: 'https://example.com/' }),
  ]);
  for (const one of opening) if (one.status === 'rejected') throw one.reason;
}

/** A session whose one tool opens all and then does this; `ended` settles the tool where it hangs. */
async function opened(
  then: (context: KernelContext) => Promise<void>,
  gate: () => Promise<void> = async () => {},
) {
  const { open, workspace, services } = counted(gate);
  const tool = defineTool({
    name: 'careless',
    description: 'Leaves everything open.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    requires: ['files.read', 'files.write', 'processes', 'git', 'http'],
    timeoutMs: 20,
    effects: () => [
      { kind: 'read', target: '' },
      { kind: 'write', target: 'a.txt' },
      { kind: 'exec', target: 'make' },
      { kind: 'net', target: 'example.com:443' },
    ],
    run: async (_input, context) => {
      // The widest context: what is left open by it is what these tests are about.
      const wide = context as unknown as KernelContext;
      await openAll(wide);
      await then(wide);
      return { output: 'done' };
    },
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'careless', version: '1.0.0', tools: [tool] })],
  }).open({ workspace, services });
  return { open, session };
}

test.each([
  ['returns', async () => {}, null],
  ['throws', async () => Promise.reject(new Error('halfway')), 'internal'],
] as const)(
  'what a tool that %s left open is closed, and its processes go on as long as the session',
  async (_name, then, type) => {
    const { open, session } = await opened(then);
    const { error } = await session.tool('careless');
    expect(error?.type ?? null).toBe(type);
    expect(open.toSorted()).toEqual(['git', 'process']);
    await session.close();
    expect(open).toEqual([]);
  },
);

test('a tool that heeds its signal is not kept from closing what it opened by itself', async () => {
  const { open, session } = await opened(
    ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  );
  expect((await session.tool('careless')).error?.type).toBe('timeout');
  expect(open).toEqual([]);
  await session.close();
});

test('of a tool that does not heed its signal the processes end with the call, the rest when it settles', async () => {
  let settle = (): void => {};
  const { open, session } = await opened(
    () =>
      new Promise((resolve) => {
        settle = resolve;
      }),
  );
  expect((await session.tool('careless')).error).toMatchObject({
    type: 'timeout',
    may_still_run: true,
  });
  expect(open.toSorted()).toEqual(['reader', 'response', 'transaction']);
  settle();
  await new Promise((resolve) => {
    setTimeout(resolve, 5);
  });
  expect(open).toEqual([]);
  await session.close();
});

test('of a tool that never settles everything ends with the session at the latest', async () => {
  const { open, session } = await opened(() => new Promise(() => {}));
  await session.tool('careless');
  await session.close();
  expect(open).toEqual([]);
});

test('what a call asked for and gets only after its end is closed at once', async () => {
  let gate = async (): Promise<void> => {};
  let goOn = (): void => {};
  let late: Promise<unknown> | undefined;
  const { open, session } = await opened(
    async (context) => {
      const opening = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      gate = () => opening;
      late = openAll(context).catch((error: unknown) => error);
    },
    () => gate(),
  );
  await session.tool('careless');
  goOn();
  expect(await late).toMatchObject({ type: 'cancelled' });
  expect(open.toSorted()).toEqual(['git', 'process']);
  await session.close();
  expect(open).toEqual([]);
});

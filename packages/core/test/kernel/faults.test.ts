import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type HostOptions,
  type OpenOptions,
  type Tool,
  type ToolEvent,
} from '../../src/index.ts';

const empty = { type: 'object', properties: {}, additionalProperties: false } as const;

async function open(
  tools: readonly Tool[],
  host: Partial<HostOptions> = {},
  options: Partial<OpenOptions> = {},
) {
  const provider = defineProvider({ name: 'family', version: '1.0.0', tools });
  const session = await createHost({
    policy: { preset: 'trusted' },
    ...host,
    providers: [provider],
  }).open({
    workspace: memoryWorkspace(),
    ...options,
  });
  const events: ToolEvent[] = [];
  const stream = session.events();
  const read = (async () => {
    for await (const event of stream) events.push(event);
  })();
  return {
    session,
    /** Closes, and gives the events of the whole session. */
    async close() {
      await session.close();
      await read;
      return events;
    },
  };
}

const writer = (name: string, run: Tool['run'], more: { timeoutMs?: () => number } = {}): Tool =>
  defineTool({
    name,
    description: 'Writes a file.',
    input: empty,
    capabilities: { maxParallelism: 16 },
    effects: () => [{ kind: 'write', target: 'a.txt' }],
    ...more,
    run,
  });

const unprintable: readonly (readonly [string, () => unknown])[] = [
  ['an object without a prototype', () => Object.create(null)],
  ['a symbol', () => Symbol('no')],
  ['undefined', () => undefined],
  [
    'an error whose message throws',
    () =>
      Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('again');
        },
      }),
  ],
  [
    'a revoked proxy',
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
  ],
];

test.each(unprintable)('a tool that throws %s fails with one tool_end', async (_, make) => {
  const { session, close } = await open([
    writer('bad', async () => {
      throw make();
    }),
  ]);
  expect((await session.tool('bad')).error?.type).toBe('internal');
  expect(session.activeTools()).toEqual([]);
  const ends = (await close()).filter(({ type }) => type === 'tool_end');
  expect(ends).toHaveLength(1);
});

test.each(unprintable)('an after-hook that throws %s changes nothing', async (_, make) => {
  const { session, close } = await open(
    [writer('good', async () => ({ output: 'ok', metadata: {} }))],
    {
      hooks: [
        {
          afterTool: async () => {
            throw make();
          },
        },
      ],
    },
  );
  expect((await session.tool('good')).output).toBe('ok');
  const types = (await close()).map(({ type }) => type);
  expect(types.filter((type) => type === 'tool_end')).toHaveLength(1);
  expect(types).toContain('hook_failed');
});

test('a tool whose time limit throws gives its lane and its locks back', async () => {
  const { session, close } = await open([
    writer('bad', async () => ({ output: '' }), {
      timeoutMs: () => {
        throw new Error('no limit');
      },
    }),
    writer('good', async () => ({ output: 'ok' })),
  ]);
  expect((await session.tool('bad')).error?.type).toBe('internal');
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 2_000);
  const after = await session.tool('good', {}, { signal: controller.signal });
  clearTimeout(timer);
  expect(after.error).toBeNull();
  await close();
});

test('an effect that is admitted after its call has ended leaves no lock', async () => {
  let admitted: Promise<unknown> = Promise.resolve();
  let release = (): void => {};
  let held = (): void => {};
  const holding = new Promise<void>((resolve) => {
    held = resolve;
  });
  const { session, close } = await open([
    writer('hold', async () => {
      held();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { output: 'held' };
    }),
    defineTool({
      name: 'stray',
      description: 'Asks for a lock and does not wait for it.',
      input: empty,
      effects: () => [],
      run: async (_input, context) => {
        admitted = Promise.allSettled([context.admit({ kind: 'write', target: 'a.txt' })]);
        return { output: 'gone' };
      },
    }),
    writer('good', async () => ({ output: 'ok' })),
  ]);
  const holder = session.tool('hold');
  await holding;
  expect((await session.tool('stray')).output).toBe('gone');
  release();
  await holder;
  await admitted;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 2_000);
  const after = await session.tool('good', {}, { signal: controller.signal });
  clearTimeout(timer);
  expect(after.error).toBeNull();
  await close();
});

test('a call that is cancelled in the moment it is admitted gives its locks back', async () => {
  for (let ticks = 0; ticks < 60; ticks += 1) {
    const { session, close } = await open([writer('good', async () => ({ output: 'ok' }))]);
    const controller = new AbortController();
    const call = session.tool('good', {}, { signal: controller.signal });
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
    controller.abort();
    await call;
    const bound = new AbortController();
    const timer = setTimeout(() => bound.abort(), 2_000);
    const after = await session.tool('good', {}, { signal: bound.signal });
    clearTimeout(timer);
    expect(after.error, `cancelled after ${ticks} ticks`).toBeNull();
    await close();
  }
});

test.each([0, -1, Number.NaN, 1e9])(
  'a tool that claims %d calls at once still runs',
  async (maxParallelism) => {
    const { session, close } = await open([
      defineTool({
        name: 'odd',
        description: 'Claims an odd parallelism.',
        input: empty,
        capabilities: { maxParallelism },
        effects: () => [],
        run: async () => ({ output: 'ok' }),
      }),
    ]);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), 1_000);
    const result = await session.tool('odd', {}, { signal: controller.signal });
    clearTimeout(timer);
    expect(result.error?.type).not.toBe('cancelled');
    await close();
  },
);

test('effects that fail in the moment of a cancellation leave no rejection behind', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const controller = new AbortController();
  const { session, close } = await open([
    defineTool({
      name: 'torn',
      description: 'Is cancelled while it tells its effects, and fails to tell them.',
      input: empty,
      effects: () => {
        controller.abort();
        return Promise.reject(new Error('no'));
      },
      run: async () => ({ output: 'ran' }),
    }),
  ]);
  const { error } = await session.tool('torn', {}, { signal: controller.signal });
  expect(error?.type).toBe('cancelled');
  await close();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

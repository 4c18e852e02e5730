import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type SessionSnapshot,
  type StateStore,
} from '../../src/index.ts';
import { memoryState } from '../../src/testing/index.ts';

const input = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
} as const;

const call = { id: 'c1', name: 'note', arguments: { text: 'hello' } };

/** A host with one tool that policy asks about; `ran` holds what it was run with. */
function setUp() {
  const ran: string[] = [];
  const note = defineTool({
    name: 'note',
    description: 'Notes a text.',
    input,
    effects: () => [{ kind: 'write', target: 'note.txt' }],
    run: async ({ text }) => {
      ran.push(text);
      return { output: text };
    },
  });
  const provider = defineProvider({ name: 'family', version: '1.0.0', tools: [note] });
  return { ran, host: createHost({ providers: [provider] }) };
}

/** A snapshot with one pending approval, which the state holds. */
async function pending(state: StateStore) {
  const { host } = setUp();
  const session = await host.open({ workspace: memoryWorkspace(), state });
  const { approval } = await session.prepare(call);
  if (approval === undefined) throw new Error('policy did not ask');
  // Through text, as a disk would keep it.
  const snapshot = JSON.parse(JSON.stringify(await session.snapshot())) as SessionSnapshot;
  await session.close();
  return { approval, snapshot };
}

type Broken = Partial<Record<keyof StateStore, 'throws' | 'rejects' | 'hangs'>>;

/** The same state, of which some operations fail for as long as `broken` says so. */
function breakable(state: StateStore, broken: Broken): StateStore {
  const at =
    <A extends readonly unknown[], T>(name: keyof StateStore, work: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> => {
      const how = broken[name];
      if (how === 'throws') throw new Error('the state is gone');
      if (how === 'rejects') return Promise.reject(new Error('the state is gone'));
      return how === 'hangs' ? new Promise<T>(() => {}) : work(...args);
    };
  return {
    read: at('read', state.read),
    write: at('write', state.write),
    append: at('append', state.append),
    delete: at('delete', state.delete),
    list: at('list', state.list),
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Lets time pass until work has settled. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const state = { settled: false };
  const settle = (): void => {
    state.settled = true;
  };
  work.then(settle, settle);
  for (let second = 0; second < 120 && !state.settled; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(state.settled).toBe(true);
  return work;
}

const failures = (['append', 'read', 'delete'] as const).flatMap((name) =>
  (['throws', 'rejects', 'hangs'] as const).map((how) => [name, how] as const),
);

test.each(failures)(
  'an approval whose state %ss is not used (it %s), and can be answered once it works again',
  async (name, how) => {
    const state = memoryState();
    const { approval, snapshot } = await pending(state);
    const { host, ran } = setUp();
    const broken: Broken = {};
    const session = await host.resume(snapshot, {
      workspace: memoryWorkspace(),
      state: breakable(state, broken),
    });
    broken[name] = how;
    const first = await inTime(session.answer(approval.id, { decision: 'approve' }));
    expect(first.error).toMatchObject({
      type: 'confirmation_rejected',
      reason: 'approval_state_failed',
      retryable: true,
    });
    expect(ran).toEqual([]);
    delete broken[name];
    expect(session.pendingApprovals()).toEqual([approval]);
    const second = await inTime(session.answer(approval.id, { decision: 'approve' }));
    expect(second.output).toBe('hello');
    const third = await inTime(session.answer(approval.id, { decision: 'approve' }));
    expect(third.error?.reason).toBe('approval_unknown');
    expect(ran).toEqual(['hello']);
    expect(state.texts()).toEqual({});
    await session.close();
  },
);

test.each(['throws', 'rejects', 'hangs'] as const)(
  'a session resumes without the approvals that its state (which %s) cannot vouch for',
  async (how) => {
    const { approval, snapshot } = await pending(memoryState());
    const { host, ran } = setUp();
    const session = await inTime(
      host.resume(snapshot, {
        workspace: memoryWorkspace(),
        state: breakable(memoryState(), { read: how }),
      }),
    );
    expect(session.pendingApprovals()).toEqual([]);
    const { error } = await inTime(session.answer(approval.id, { decision: 'approve' }));
    expect(error?.reason).toBe('approval_unknown');
    expect(ran).toEqual([]);
    await session.close();
  },
);

test('preparing a call works where the state does not', async () => {
  const { host, ran } = setUp();
  const session = await host.open({
    workspace: memoryWorkspace(),
    state: breakable(memoryState(), { write: 'hangs', delete: 'rejects' }),
  });
  const { approval } = await inTime(session.prepare(call));
  expect(approval?.call).toMatchObject({ id: 'c1' });
  expect(ran).toEqual([]);
  await session.close();
});

test('however the answers of several sessions to one approval interleave, its call runs once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 4 }),
      fc.array(fc.nat(6), { minLength: 40, maxLength: 40 }),
      async (sessions, turns) => {
        const state = memoryState();
        const { approval, snapshot } = await pending(state);
        const { host, ran } = setUp();
        let next = 0;
        const slowly =
          <A extends readonly unknown[], T>(work: (...args: A) => Promise<T>) =>
          async (...args: A): Promise<T> => {
            const wait = turns[(next += 1) % turns.length] ?? 0;
            for (let turn = 0; turn < wait; turn += 1) await Promise.resolve();
            const result = await work(...args);
            for (let turn = 0; turn < wait; turn += 1) await Promise.resolve();
            return result;
          };
        const slow: StateStore = {
          read: slowly(state.read),
          write: slowly(state.write),
          append: slowly(state.append),
          delete: slowly(state.delete),
          list: slowly(state.list),
        };
        const resumed = await Promise.all(
          Array.from({ length: sessions }, () =>
            host.resume(snapshot, { workspace: memoryWorkspace(), state: slow }),
          ),
        );
        const results = await Promise.all(
          resumed.map((session) => session.answer(approval.id, { decision: 'approve' })),
        );
        expect(ran).toEqual(['hello']);
        const refused = results.filter(({ error }) => error?.reason === 'approval_unknown');
        expect(refused).toHaveLength(sessions - 1);
        await Promise.all(resumed.map((session) => session.close()));
      },
    ),
    { numRuns: process.env['TOOLWRIGHT_LONG'] === '1' ? 10_000 : 200, seed: 11 },
  );
}, 3_600_000);

import { expect, test, vi } from 'vitest';
import {
  createBudget,
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type Budget,
  type BudgetDecision,
  type BudgetOptions,
} from '../../src/index.ts';

const request = (sessionId: string, tool = 'a', invocationId = 'c') => ({
  sessionId,
  invocationId,
  tool,
});

function hostWith(budget: Budget) {
  const say = defineTool({
    name: 'say',
    description: 'Says ten bytes.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    effects: () => [],
    run: async () => ({ output: 'ten bytes!' }),
  });
  return createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [say] })],
    budget,
  });
}

test('calls are refused when the limit is reached, and listeners told before', async () => {
  const host = hostWith(createBudget({ calls: 5, softAt: 0.8 }));
  const session = await host.open({ workspace: memoryWorkspace() });
  const events = session.events();
  const errors: (string | null)[] = [];
  for (let call = 0; call < 6; call += 1) {
    const { error } = await session.invoke({ name: 'say' });
    errors.push(error === null ? null : `${error.type} ${error.message}`);
  }
  await session.close();
  const thresholds: unknown[] = [];
  for await (const event of events) {
    if (event.type === 'budget_threshold_hit') thresholds.push([event.kind, event.consumed]);
  }
  expect(errors.slice(0, 5)).toEqual([null, null, null, null, null]);
  expect(errors[5]).toMatch(/^budget_exceeded .*calls.* \(5 of 5\)/);
  // The check and the reservation of the fifth call, and the check of the sixth.
  expect(thresholds).toEqual([
    ['soft', 4],
    ['soft', 4],
    ['hard', 5],
  ]);
});

test('bytes count when a call has ended, by tool too', async () => {
  const host = hostWith(createBudget({ perTool: { say: { bytes: 15 } } }));
  const session = await host.open({ workspace: memoryWorkspace() });
  expect((await session.invoke({ name: 'say' })).error).toBeNull();
  expect((await session.invoke({ name: 'say' })).error).toBeNull();
  const { error } = await session.invoke({ name: 'say' });
  expect(error).toMatchObject({
    type: 'budget_exceeded',
    resource: 'say bytes',
    consumed: 20,
    limit: 15,
  });
  await session.close();
});

test('a resumed session goes on where it was', async () => {
  const host = hostWith(createBudget({ calls: 1 }));
  const session = await host.open({ workspace: memoryWorkspace() });
  await session.invoke({ name: 'say' });
  const snapshot = await session.snapshot();
  await session.close();
  const resumed = await host.resume(snapshot, { workspace: memoryWorkspace() });
  expect((await resumed.invoke({ name: 'say' })).error).toMatchObject({ type: 'budget_exceeded' });
  const other = await host.open({ workspace: memoryWorkspace() });
  expect((await other.invoke({ name: 'say' })).error).toBeNull();
  await resumed.close();
  await other.close();
});

test('of closed sessions only the last 1,024 are kept', async () => {
  const budget = createBudget({ calls: 1 });
  const isUsedUp = async (id: string) => (await budget.check(request(id))).decision === 'deny';
  for (const id of ['old', 'open', 'resumed']) await budget.reserve(request(id));
  await budget.sessionClosed?.('old');
  await budget.sessionClosed?.('resumed');
  await budget.check(request('resumed'));
  for (let session = 0; session < 1_024; session += 1) {
    await budget.reserve(request(`s${session}`));
    await budget.sessionClosed?.(`s${session}`);
  }
  expect(await isUsedUp('open')).toBe(true);
  expect(await isUsedUp('resumed')).toBe(true);
  expect(await isUsedUp('s0')).toBe(true);
  expect(await isUsedUp('old')).toBe(false);
});

test('a call that ends after its session counts, and keeps nothing open', async () => {
  const budget = createBudget({ bytes: 10 });
  await budget.reserve(request('late'));
  await budget.sessionClosed?.('late');
  await budget.settle(request('late'), { outputBytes: 10, durationMs: 0 });
  for (let session = 0; session < 1_023; session += 1) {
    await budget.reserve(request(`s${session}`));
    await budget.sessionClosed?.(`s${session}`);
  }
  await budget.settle(request('never seen'), { outputBytes: 10, durationMs: 0 });
  expect((await budget.check(request('never seen'))).decision).toBe('allow');
  // The 1,025th, of which the first had to go.
  await budget.reserve(request('last'));
  await budget.sessionClosed?.('last');
  expect((await budget.check(request('late'))).decision).toBe('allow');
});

test('a reservation that is made after its call was cancelled is given back', async () => {
  const told: string[] = [];
  const caller = new AbortController();
  let reserve: ((decision: BudgetDecision) => void) | undefined;
  const host = hostWith({
    check: () => ({ decision: 'allow' }),
    reserve: () => {
      told.push('reserve');
      queueMicrotask(() => caller.abort());
      return new Promise<BudgetDecision>((decide) => {
        reserve = decide;
      });
    },
    settle: (_request, { outputBytes }) => void told.push(`settle ${outputBytes}`),
  });
  const session = await host.open({ workspace: memoryWorkspace() });
  const result = await session.invoke({ name: 'say' }, { signal: caller.signal });
  expect(result.error).toMatchObject({ type: 'cancelled' });
  expect(told).toEqual(['reserve']);
  reserve?.({ decision: 'allow' });
  await vi.waitUntil(() => told.length > 1);
  await session.close();
  expect(told).toEqual(['reserve', 'settle 0']);
});

test.each([
  { calls: Number.NaN },
  { calls: -1 },
  { bytes: '3' },
  { timeMs: null },
  { call: 2 },
  { softAt: 2 },
  { softAt: Number.NaN },
  { perTool: { read: { calls: Number.NaN } } },
  { perTool: { read: 3 } },
  { perTool: null },
])('a limit that would never be reached is no budget: %o', (options) => {
  // No type allows these; budgets come from configuration files too.
  expect(() => createBudget(options as unknown as BudgetOptions)).toThrow(TypeError);
});

test('a tool named like a member of every object has the limits that are given for it, or none', () => {
  const budget = createBudget({ perTool: { toString: { calls: 0 } } });
  expect(budget.check(request('s', 'toString'))).toMatchObject({ decision: 'deny' });
  expect(budget.check(request('s', 'constructor'))).toEqual({ decision: 'allow' });
});

test('no limit at all is a limit of infinity', () => {
  const budget = createBudget({ calls: Infinity });
  expect(budget.reserve(request('s'))).toEqual({ decision: 'allow' });
});

import { expect, test } from 'vitest';
import {
  createBudget,
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type BudgetOptions,
} from '../../src/index.ts';

const request = (sessionId: string, tool = 'a', invocationId = 'c') => ({
  sessionId,
  invocationId,
  tool,
});

function hostWith(options: BudgetOptions) {
  const say = defineTool({
    name: 'say',
    description: 'Says ten bytes.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    effects: () => [],
    run: async () => ({ output: 'ten bytes!' }),
  });
  return createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [say] })],
    budget: createBudget(options),
  });
}

test('calls are refused when the limit is reached, and listeners told before', async () => {
  const host = hostWith({ calls: 5, softAt: 0.8 });
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
  const host = hostWith({ perTool: { say: { bytes: 15 } } });
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
  const host = hostWith({ calls: 1 });
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

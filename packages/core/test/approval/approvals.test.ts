import { expect, test } from 'vitest';
import { Approvals } from '../../src/approval/approvals.ts';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type ApprovalAnswer,
  type Effect,
  type OpenOptions,
  type PendingApproval,
} from '../../src/index.ts';
import { memoryState } from '../../src/testing/index.ts';

const secret = 'sk-topsecret-1';

function pending(id: string, expiresAt = 1_000): PendingApproval {
  return {
    id,
    session_id: 's',
    call: { id: 'c', name: 'note', arguments: { text: '[REDACTED]' } },
    origin: 'agent',
    digests: { definition: 'sha256:a', arguments: 'sha256:b' },
    effects: [],
    reason: 'no rule',
    grants: [],
    expires_at: expiresAt,
  };
}

/** A tool whose calls have this effect, which policy asks about; how often it ran. */
function open(
  effect: Effect,
  options: Partial<OpenOptions> & { secrets?: readonly string[] } = {},
) {
  let runs = 0;
  const { secrets = [], ...opened } = options;
  const tool = defineTool({
    name: 'note',
    description: 'Notes.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    effects: () => [effect],
    run: async () => {
      runs += 1;
      return { output: 'noted' };
    },
  });
  const providers = [defineProvider({ name: 'family', version: '1.0.0', tools: [tool] })];
  const session = createHost({ providers, secrets }).open({
    workspace: memoryWorkspace(),
    ...opened,
  });
  return { session, runs: () => runs };
}

test('what a call gave is let go of with its approval, however that ends', async () => {
  const state = memoryState();
  let now = 0;
  const one = new Approvals(state, () => now);
  const other = new Approvals(state, () => now);
  const given = { text: secret };
  for (const id of ['used', 'dropped', 'expired', 'used-elsewhere', 'left']) {
    await one.add(pending(id), given);
  }
  expect(one.size).toBe(5);
  await one.take('used');
  await one.drop('dropped');
  expect(one.size).toBe(3);
  await other.restore([pending('used-elsewhere')]);
  expect((await other.take('used-elsewhere')).arguments).toEqual({ text: '[REDACTED]' });
  await expect(one.take('used-elsewhere')).rejects.toMatchObject({ reason: 'approval_unknown' });
  expect(one.size).toBe(2);
  now = 2_000;
  await expect(one.take('expired')).rejects.toMatchObject({ reason: 'approval_expired' });
  expect(one.size).toBe(1);
  one.close();
  expect(one.size).toBe(0);
  expect(JSON.stringify(state.texts())).not.toContain(secret);
});

test('two calls cannot run on one approval: who waits for it hears that it was used', async () => {
  let asked: ((approval: PendingApproval) => void) | undefined;
  const wasAsked = new Promise<PendingApproval>((resolve) => {
    asked = resolve;
  });
  const { session, runs } = open(
    { kind: 'write', target: 'a.txt' },
    {
      approver: (approval) => {
        asked?.(approval);
        return new Promise<ApprovalAnswer>(() => {});
      },
    },
  );
  const live = await session;
  const first = live.invoke({ id: 'one', name: 'note' });
  const approval = await wasAsked;
  const second = await live.invoke({ id: 'two', name: 'note' }, { approval });
  expect(second.error).toBeNull();
  expect((await first).error).toMatchObject({ type: 'confirmation_rejected', reason: 'rejected' });
  expect(runs()).toBe(1);
  await live.close();
});

test('an answer to an approval that another process has used runs nothing', async () => {
  const state = memoryState();
  const { session, runs } = open(
    { kind: 'write', target: 'a.txt' },
    {
      state,
      approver: async (approval) => {
        const elsewhere = new Approvals(state, Date.now);
        await elsewhere.restore([approval]);
        await elsewhere.take(approval.id);
        return { decision: 'approve' };
      },
    },
  );
  const live = await session;
  const { error } = await live.invoke({ name: 'note' });
  expect(error).toMatchObject({ type: 'confirmation_rejected', reason: 'approval_unknown' });
  expect(runs()).toBe(0);
  await live.close();
});

test.each<Effect>([
  { kind: 'write', target: `${secret}.txt` },
  { kind: 'exec', target: `deploy --token=${secret}` },
])('a rule that holds a secret is not remembered, and the call runs: $kind', async (effect) => {
  const { session, runs } = open(effect, {
    secrets: [secret],
    approver: async (approval) => {
      expect(approval.grants).toEqual([]);
      return { decision: 'approve', remember: true };
    },
  });
  const live = await session;
  expect((await live.invoke({ name: 'note' })).error).toBeNull();
  expect(live.grants()).toEqual([]);
  expect(runs()).toBe(1);
  await live.close();
});

test('who answers what a running call asked hears what the call came to', async () => {
  const tool = defineTool({
    name: 'find_out',
    description: 'Finds out what it writes.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    effects: () => [],
    run: async (_input, ctx) => {
      await ctx.admit({ kind: 'write', target: 'found.txt' });
      return { output: 'found' };
    },
  });
  let asked: ((approval: PendingApproval) => void) | undefined;
  const wasAsked = new Promise<PendingApproval>((resolve) => {
    asked = resolve;
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [tool] })],
  }).open({
    workspace: memoryWorkspace(),
    approver: (approval) => {
      // The answer may be given as soon as the call waits for it.
      queueMicrotask(() => asked?.(approval));
      return new Promise<ApprovalAnswer>(() => {});
    },
  });
  const call = session.invoke({ name: 'find_out' });
  const answered = await session.answer((await wasAsked).id, { decision: 'approve' });
  expect(answered).toBe(await call);
  expect(answered.output).toBe('found');
  await session.close();
});

import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type ApprovalAnswer,
  type Approver,
  type Effect,
  type Hooks,
  type PendingApproval,
} from '../../src/index.ts';

const input = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
} as const;

const approve: ApprovalAnswer = { decision: 'approve' };
const reject: ApprovalAnswer = { decision: 'reject', reason: 'no' };

/** A session with `put`, which policy asks about and which writes what `target` says; `ran` is what it was run with. */
async function open(
  options: {
    readonly hooks?: readonly Hooks[];
    readonly approver?: Approver;
    readonly target?: (path: string) => string;
    readonly admits?: Effect;
    readonly allow?: readonly string[];
  } = {},
) {
  const ran: string[] = [];
  const { target = (path: string) => path, admits } = options;
  const put = defineTool({
    name: 'put',
    description: 'Puts something at a path.',
    input,
    effects: ({ path }) => [{ kind: 'write', target: target(path) }],
    run: async ({ path }, context) => {
      if (admits !== undefined) await context.admit(admits);
      ran.push(path);
      return { output: `put ${path}` };
    },
  });
  const foreign = defineTool({
    name: 'foreign',
    description: 'Brings words from outside.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    effects: () => [],
    run: async () => ({ output: 'words', trust: 'external' }),
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'puts', version: '1.0.0', tools: [put, foreign] })],
    policy: { allow: options.allow ?? [] },
    hooks: options.hooks ?? [],
  }).open({
    workspace: memoryWorkspace(),
    ...(options.approver === undefined ? {} : { approver: options.approver }),
  });
  return { session, ran };
}

const call = { id: 'c1', name: 'put', arguments: { path: 'a.txt' } };

/** A permission hook that answers only when it is let go on. */
function slowHook(answer: ApprovalAnswer | undefined) {
  let goOn = (): void => {};
  let tell: (pending: PendingApproval) => void = () => {};
  const asked = new Promise<PendingApproval>((resolve) => {
    tell = resolve;
  });
  const hook: Hooks = {
    permissionRequest: async (pending) => {
      tell(pending);
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return answer;
    },
  };
  return { hook, asked, goOn: () => goOn() };
}

test('an answer that comes while a permission hook still thinks is the answer of the waiting call', async () => {
  const { hook, asked, goOn } = slowHook(undefined);
  const { session, ran } = await open({ hooks: [hook] });
  const waiting = session.invoke(call);
  const answered = session.answer((await asked).id, approve);
  goOn();
  expect(await answered).toBe(await waiting);
  expect((await waiting).error).toBeNull();
  expect(ran).toEqual(['a.txt']);
  expect(session.pendingApprovals()).toEqual([]);
  await session.close();
});

test.each<{
  readonly hook: ApprovalAnswer | undefined;
  readonly person: ApprovalAnswer;
  readonly runs: readonly string[];
}>([
  { hook: approve, person: reject, runs: [] },
  { hook: reject, person: approve, runs: [] },
  { hook: approve, person: approve, runs: ['a.txt'] },
  { hook: approve, person: { ...approve, arguments: { path: 'b.txt' } }, runs: ['b.txt'] },
  { hook: undefined, person: reject, runs: [] },
])(
  'of a hook and a person who answer at once either may decline, and the person may change: %j',
  async ({ hook, person, runs }) => {
    const slow = slowHook(hook);
    const { session, ran } = await open({ hooks: [slow.hook] });
    const waiting = session.invoke(call);
    const answered = session.answer((await slow.asked).id, person);
    slow.goOn();
    expect(await answered).toBe(await waiting);
    expect((await waiting).error?.type).toBe(
      runs.length === 0 ? 'confirmation_rejected' : undefined,
    );
    expect(ran).toEqual(runs);
    await session.close();
  },
);

test('a pending approval that has been seen can be answered, however early', async () => {
  const { session, ran } = await open({ approver: () => new Promise(() => {}) });
  const waiting = session.invoke(call);
  let [pending] = session.pendingApprovals();
  while (pending === undefined) {
    await Promise.resolve();
    [pending] = session.pendingApprovals();
  }
  expect(await session.answer(pending.id, approve)).toBe(await waiting);
  expect(ran).toEqual(['a.txt']);
  await session.close();
});

test('of two answers the first counts, and who gives the second is told', async () => {
  const { hook, asked, goOn } = slowHook(undefined);
  const { session, ran } = await open({ hooks: [hook] });
  const waiting = session.invoke(call);
  const { id } = await asked;
  const first = session.answer(id, reject);
  const second = session.answer(id, approve);
  goOn();
  expect((await second).error).toMatchObject({
    type: 'confirmation_rejected',
    reason: 'approval_unknown',
  });
  expect(await first).toBe(await waiting);
  expect((await waiting).error).toMatchObject({
    type: 'confirmation_rejected',
    reason: 'rejected',
  });
  expect(ran).toEqual([]);
  await session.close();
});

test('an approval is void where the call would touch something else by now', async () => {
  let place = 'a.txt';
  const { session, ran } = await open({ target: () => place });
  const { approval } = await session.prepare(call);
  place = 'secret.txt';
  expect((await session.answer(approval?.id ?? '', approve)).error).toMatchObject({
    type: 'confirmation_rejected',
    reason: 'approval_void',
  });
  expect(ran).toEqual([]);
  await session.close();
});

test('a call that would touch something else by now is put before a person anew', async () => {
  let place = 'a.txt';
  const { session, ran } = await open({ target: () => place });
  const first = await session.prepare(call);
  expect((await session.prepare(call)).approval).toBe(first.approval);
  place = 'other.txt';
  const { approval } = await session.prepare(call);
  expect(approval?.effects).toEqual([{ kind: 'write', target: 'other.txt' }]);
  expect((await session.answer(approval?.id ?? '', approve)).error).toBeNull();
  expect(ran).toEqual(['a.txt']);
  await session.close();
});

test('an approval of one effect of a running call approves no other call of its tool', async () => {
  let tell: (pending: PendingApproval) => void = () => {};
  const asked = new Promise<PendingApproval>((resolve) => {
    tell = resolve;
  });
  const { session, ran } = await open({
    admits: { kind: 'net', target: 'example.com:443' },
    approver: (pending) => {
      if (pending.effects[0]?.kind === 'write') return Promise.resolve(approve);
      tell(pending);
      return new Promise(() => {});
    },
  });
  const running = session.invoke(call);
  const approval = await asked;
  expect(approval.effects).toEqual([{ kind: 'net', target: 'example.com:443' }]);
  const other = await session.invoke({ ...call, id: 'c2' }, { approval });
  expect(other.error).toMatchObject({ type: 'confirmation_rejected', reason: 'approval_void' });
  expect((await running).error?.type).toBe('confirmation_rejected');
  expect(ran).toEqual([]);
  await session.close();
});

test.each(['while it waits', 'before it is made'])(
  'a person who changes a path has approved the path that they wrote and no other, %s',
  async (when) => {
    const edited = { ...approve, arguments: { path: 'theirs.txt' } };
    let answer: ApprovalAnswer = edited;
    const { session, ran } = await open({ approver: async () => answer, allow: ['write:**'] });
    // From now on a write is asked again unless its path was approved.
    await session.invoke({ name: 'foreign' });
    if (when === 'while it waits') await session.invoke(call);
    else {
      const { approval } = await session.prepare(call);
      await session.answer(approval?.id ?? '', edited);
    }
    answer = reject;
    const again = { name: 'put', arguments: { path: 'theirs.txt' } };
    expect((await session.invoke(again)).error).toBeNull();
    expect((await session.invoke(call)).error?.type).toBe('confirmation_rejected');
    expect(ran).toEqual(['theirs.txt', 'theirs.txt']);
    await session.close();
  },
);

test('a tool whose effects cannot be told is denied by prepare and explain, with the reason', async () => {
  const { session } = await open({
    target: () => {
      throw new RangeError('nowhere');
    },
  });
  const reason = 'put failed unexpectedly: nowhere';
  expect(await session.prepare(call)).toEqual({
    decision: 'deny',
    rule: null,
    reason,
    effects: [],
  });
  expect(await session.explain(call)).toEqual({ decision: 'deny', reason, effects: [] });
  expect((await session.invoke(call)).error).toMatchObject({ type: 'internal', message: reason });
  await session.close();
});

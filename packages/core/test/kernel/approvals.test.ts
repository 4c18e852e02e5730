import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type OpenOptions,
  type SessionSnapshot,
  type StateStore,
  type Workspace,
} from '../../src/index.ts';

const input = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
} as const;

/** A store that outlives sessions, as a directory would. */
function memoryState(): StateStore & { readonly kept: Map<string, Uint8Array> } {
  const kept = new Map<string, Uint8Array>();
  return {
    kept,
    read: async (key) => kept.get(key),
    write: async (key, bytes) => void kept.set(key, bytes),
    append: async (key, bytes) =>
      void kept.set(key, new Uint8Array([...(kept.get(key) ?? []), ...bytes])),
    delete: async (key) => void kept.delete(key),
    list: async (prefix) => [...kept.keys()].filter((key) => key.startsWith(prefix)).sort(),
  };
}

/** A host with one tool that policy asks about; `ran` holds what it was run with. */
function setUp(description = 'Notes a text.', secrets: readonly string[] = []) {
  const ran: string[] = [];
  let now = 1_000_000;
  const note = defineTool({
    name: 'note',
    description,
    input,
    effects: () => [{ kind: 'write', target: 'note.txt' }],
    run: async ({ text }) => {
      ran.push(text);
      return { output: text };
    },
  });
  const host = createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [note] })],
    clock: () => now,
    secrets,
  });
  return {
    ran,
    host,
    pass: (ms: number) => {
      now += ms;
    },
    open: (options: Partial<OpenOptions> = {}) =>
      host.open({ workspace: memoryWorkspace(), ...options }),
  };
}

const call = { id: 'c1', name: 'note', arguments: { text: 'hello' } };

async function prepared(session: Awaited<ReturnType<ReturnType<typeof setUp>['open']>>) {
  const { approval } = await session.prepare(call);
  if (approval === undefined) throw new Error('policy did not ask');
  return approval;
}

test('an approval runs its call once', async () => {
  const { open, ran } = setUp();
  const session = await open();
  const approval = await prepared(session);
  expect(approval.effects).toEqual([{ kind: 'write', target: 'note.txt' }]);
  const both = await Promise.all([
    session.invoke(call, { approval }),
    session.answer(approval.id, { decision: 'approve' }),
  ]);
  expect(new Set(both.map(({ error }) => error?.reason))).toEqual(
    new Set([undefined, 'approval_unknown']),
  );
  expect(ran).toEqual(['hello']);
  await session.close();
});

test('an approval is void for other arguments', async () => {
  const { open, ran } = setUp();
  const session = await open();
  const approval = await prepared(session);
  const other = { ...call, arguments: { text: 'other' } };
  expect((await session.invoke(other, { approval })).error?.reason).toBe('approval_void');
  expect((await session.invoke(call, { approval })).error?.reason).toBe('approval_unknown');
  expect(ran).toEqual([]);
  await session.close();
});

test('edited arguments are validated again and are what runs', async () => {
  const { open, ran } = setUp();
  const session = await open();
  const first = await prepared(session);
  const wrong = await session.answer(first.id, {
    decision: 'approve',
    arguments: { text: 7, more: 1 },
  });
  expect(wrong.error?.type).toBe('invalid_argument');
  const second = await prepared(session);
  const right = await session.answer(second.id, {
    decision: 'approve',
    arguments: { text: 'edited' },
  });
  expect(right.output).toBe('edited');
  expect(ran).toEqual(['edited']);
  await session.close();
});

test('an approval expires by the clock of the host', async () => {
  const { open, ran, pass } = setUp();
  const session = await open();
  const approval = await prepared(session);
  pass(15 * 60_000);
  expect(session.pendingApprovals()).toEqual([]);
  expect((await session.answer(approval.id, { decision: 'approve' })).error?.reason).toBe(
    'approval_expired',
  );
  expect(ran).toEqual([]);
  await session.close();
});

test('a call that waits for its approver cannot be approved after the expiry', async () => {
  const { open, ran, pass } = setUp();
  let asked = (_id: string): void => {};
  const id = new Promise<string>((resolve) => {
    asked = resolve;
  });
  const session = await open({
    approver: (pending) => {
      asked(pending.id);
      return new Promise(() => {});
    },
  });
  const waiting = session.invoke(call);
  const approvalId = await id;
  pass(15 * 60_000);
  const answered = await session.answer(approvalId, { decision: 'approve' });
  expect(answered.error?.reason).toBe('approval_expired');
  expect((await waiting).error?.reason).toBe('approval_expired');
  expect(ran).toEqual([]);
  await session.close();
});

test('an approver that answers after the expiry is too late', async () => {
  const { open, ran, pass } = setUp();
  const session = await open({
    approver: async () => {
      pass(15 * 60_000);
      return { decision: 'approve' };
    },
  });
  expect((await session.invoke(call)).error?.reason).toBe('approval_expired');
  expect(ran).toEqual([]);
  await session.close();
});

/** Snapshots a session with one pending approval and closes it, as a restart would. */
async function restart(state: StateStore, workspace: Workspace) {
  const before = setUp();
  const session = await before.open({ state, workspace });
  const approval = await prepared(session);
  // Through text, as a disk or a queue would keep it.
  const snapshot = JSON.parse(JSON.stringify(await session.snapshot())) as SessionSnapshot;
  await session.close();
  expect(before.ran).toEqual([]);
  return { approval, snapshot };
}

test('a pending approval survives a restart and runs once', async () => {
  const state = memoryState();
  const workspace = memoryWorkspace();
  const { approval, snapshot } = await restart(state, workspace);
  const { host, ran } = setUp();
  const [one, two] = await Promise.all([
    host.resume(snapshot, { workspace, state }),
    host.resume(snapshot, { workspace, state }),
  ]);
  expect(one.pendingApprovals()).toEqual([approval]);
  expect((await one.answer(approval.id, { decision: 'approve' })).output).toBe('hello');
  expect((await two.answer(approval.id, { decision: 'approve' })).error?.reason).toBe(
    'approval_unknown',
  );
  expect(ran).toEqual(['hello']);
  await one.close();
  await two.close();
});

test('after a restart with another definition of the tool an approval is void', async () => {
  const state = memoryState();
  const workspace = memoryWorkspace();
  const { approval, snapshot } = await restart(state, workspace);
  const { host, ran } = setUp('Does something else altogether.');
  const session = await host.resume(snapshot, { workspace, state });
  expect((await session.answer(approval.id, { decision: 'approve' })).error?.reason).toBe(
    'approval_void',
  );
  expect(ran).toEqual([]);
  await session.close();
});

test('a remembered answer keeps the exact rule, and a snapshot carries it', async () => {
  const { open, host, ran } = setUp();
  const workspace = memoryWorkspace();
  const session = await open({ workspace });
  const approval = await prepared(session);
  for (const grant of approval.grants) {
    expect(grant.decision).toBe('allow');
    expect(grant.examples?.length).toBeGreaterThan(0);
    expect(grant.counterexamples?.length).toBeGreaterThan(0);
  }
  await session.answer(approval.id, { decision: 'approve', remember: true });
  expect(session.grants()).toEqual(approval.grants);
  const snapshot = await session.snapshot();
  await session.close();
  const resumed = await host.resume(snapshot, { workspace });
  expect((await resumed.invoke({ ...call, id: 'c2' })).error).toBeNull();
  expect(ran).toEqual(['hello', 'hello']);
  await resumed.close();
});

test('a snapshot under another projection policy is refused', async () => {
  const { open, host } = setUp();
  const session = await open();
  const snapshot = await session.snapshot();
  await session.close();
  await expect(
    host.resume(snapshot, {
      workspace: memoryWorkspace(),
      projection: { ...snapshot.projection, max_output_bytes: 4_096 },
    }),
  ).rejects.toThrow(TypeError);
});

test('an approver that has nobody to ask is as good as none', async () => {
  const { open, ran } = setUp();
  const session = await open({ workspace: memoryWorkspace(), approver: async () => undefined });
  expect((await session.invoke(call)).error).toMatchObject({
    type: 'confirmation_rejected',
    reason: 'no_approver',
  });
  expect(ran).toEqual([]);
  expect(session.pendingApprovals()).toEqual([]);
  await session.close();
});

test('a call whose approval shows its arguments with a secret hidden runs with what it gave', async () => {
  const { ran, host } = setUp('Notes a text.', ['hunter2-hunter2']);
  const state = memoryState();
  const session = await host.open({ workspace: memoryWorkspace(), state });
  const withSecret = { ...call, arguments: { text: 'the word is hunter2-hunter2' } };
  const { approval } = await session.prepare(withSecret);
  expect(JSON.stringify(approval)).not.toContain('hunter2');
  expect([...state.kept.values()].join()).not.toContain('hunter2');
  const result = await session.answer(approval?.id ?? '', { decision: 'approve' });
  expect(result.error).toBeNull();
  expect(ran).toEqual(['the word is hunter2-hunter2']);
  expect(JSON.stringify(result)).not.toContain('hunter2');
});

test('after a restart nobody knows the hidden arguments any more, so the approval is void', async () => {
  const { ran, host } = setUp('Notes a text.', ['hunter2-hunter2']);
  const state = memoryState();
  const first = await host.open({ workspace: memoryWorkspace(), state });
  const withSecret = { ...call, arguments: { text: 'the word is hunter2-hunter2' } };
  const { approval } = await first.prepare(withSecret);
  const snapshot = await first.snapshot();
  await first.close();
  const second = await host.resume(snapshot, { workspace: memoryWorkspace(), state });
  const result = await second.answer(approval?.id ?? '', { decision: 'approve' });
  expect(result.error).toMatchObject({ type: 'confirmation_rejected', reason: 'approval_void' });
  expect(ran).toEqual([]);
});

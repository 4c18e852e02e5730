import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryArtifactStore,
  memoryWorkspace,
  sha256Hex,
  type ApprovalAnswer,
  type HostOptions,
  type JsonObject,
  type SessionSnapshot,
  type Tool,
  type Workspace,
} from '../../src/index.ts';
import { memoryState } from '../../src/testing/index.ts';

const empty = { type: 'object', properties: {}, additionalProperties: false } as const;

const deferred = defineTool({
  name: 'later',
  description: 'Is loaded when it is needed.',
  input: empty,
  visibility: 'deferred',
  effects: () => [],
  run: async () => ({ output: 'loaded' }),
});

const fetch = defineTool({
  name: 'fetch',
  description: 'Brings words from outside.',
  input: empty,
  effects: () => [],
  run: async () => ({ output: 'word '.repeat(40_000), trust: 'external' }),
});

const edit = defineTool({
  name: 'edit',
  description: 'Writes a file with what was in it before.',
  input: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      text: { type: 'string' },
      if_match: { type: 'string' },
    },
    required: ['path', 'text'],
    additionalProperties: false,
  },
  requires: ['files.read', 'files.write'],
  effects: ({ path }) => [{ kind: 'write', target: path }],
  run: async ({ path, text, if_match: sha256 }, { workspace }) => {
    const transaction = await workspace.writer.begin();
    await transaction.stage({
      kind: 'write',
      path,
      content: new TextEncoder().encode(text),
      expected: sha256 === undefined ? { kind: 'any' } : { kind: 'sha256', sha256 },
    });
    await transaction.promoteAll();
    return { output: `${path} is ${text}` };
  },
});

const host = (more: Partial<HostOptions> = {}) =>
  createHost({
    ...more,
    providers: [
      defineProvider({ name: 'family', version: '1.0.0', tools: [deferred, fetch, edit] }),
    ],
  });

const thawed = (snapshot: SessionSnapshot): SessionSnapshot =>
  // Through text, as a disk or a queue would keep it.
  JSON.parse(JSON.stringify(snapshot)) as SessionSnapshot;

const call = { id: 'c1', name: 'edit', arguments: { path: 'a.txt', text: 'new' } };

/** A session with something of everything that a snapshot carries, and what came of it. */
async function lived(workspace: Workspace, pending: JsonObject = {}) {
  const artifacts = memoryArtifactStore();
  const state = memoryState();
  const session = await host().open({ workspace, artifacts, state, id: 'session-1' });
  session.catalog.load(['later'], 'select:later');
  const first = await session.prepare({ ...call, id: 'c0' });
  await session.answer(first.approval?.id ?? '', { decision: 'approve', remember: true });
  const other = { ...call, arguments: { path: 'b.txt', text: 'new', ...pending } };
  const { approval } = await session.prepare(other);
  const { metadata } = await session.invoke({ name: 'fetch' });
  const snapshot = thawed(await session.snapshot());
  await session.close();
  return { snapshot, approval, artifacts, state, metadata };
}

test('a snapshot carries everything that a session has to go on with, as plain JSON', async () => {
  const { snapshot, approval } = await lived(memoryWorkspace());
  expect(snapshot).toMatchObject({
    schema: 'toolwright.session-snapshot.v1',
    session_id: 'session-1',
    projection: { max_output_bytes: 102_400 },
    loaded_tools: [{ name: 'later', by: 'select:later' }],
    grants: [{ decision: 'allow', tool: 'edit', effect: 'write', target: 'a.txt' }],
    tainted: true,
    artifacts: [{ tool: 'fetch', bytes: 200_000 }],
  });
  expect(snapshot.pending_approvals).toEqual([approval]);
});

test('a resumed session has the tools, approvals, grants, taint and artifacts of the one before', async () => {
  const workspace = memoryWorkspace();
  const { snapshot, approval, artifacts, state } = await lived(workspace);
  const session = await host().resume(snapshot, { workspace, artifacts, state });
  expect(session.id).toBe('session-1');
  expect((await session.invoke({ name: 'later' })).output).toBe('loaded');
  expect(session.pendingApprovals()).toEqual([approval]);
  expect(session.grants()).toEqual(snapshot.grants);
  expect(session.tainted).toBe(true);
  const [kept] = await session.artifacts.list();
  const bytes = await session.artifacts.read(kept?.uri ?? '', { start: 0, length: 4 });
  expect(new TextDecoder().decode(bytes)).toBe('word');
  expect(thawed(await session.snapshot())).toEqual(snapshot);
  expect((await session.invoke({ ...call, id: 'c2' })).output).toBe('a.txt is new');
  await session.close();
});

test('what a resumed session makes is never taken for what the one before made', async () => {
  const workspace = memoryWorkspace({ files: { 'b.txt': 'old', 'other.txt': 'old' } });
  const { snapshot, approval, state } = await lived(workspace);
  const session = await host().resume(snapshot, { workspace, state });
  const ids = new Set([approval?.id]);
  for (let n = 0; n < 8; n += 1) {
    const other = { name: 'edit', arguments: { path: 'other.txt', text: `${n}` } };
    ids.add((await session.prepare(other)).approval?.id);
  }
  expect(ids.size).toBe(9);
  const result = await session.answer(approval?.id ?? '', { decision: 'approve' });
  expect(result.output).toBe('b.txt is new');
  await session.close();
});

test('a snapshot pins its projection: the same is taken, another refused, the host\u2019s own does not count', async () => {
  const workspace = memoryWorkspace();
  const { snapshot } = await lived(workspace);
  const small = { ...snapshot.projection, max_output_bytes: 2_048, head_bytes: 2_048 };
  await expect(host().resume(snapshot, { workspace, projection: small })).rejects.toThrow(
    TypeError,
  );
  const same = { ...snapshot.projection };
  const session = await host({ projection: small }).resume(snapshot, {
    workspace,
    projection: same,
  });
  expect((await session.invoke({ name: 'fetch' })).output.length).toBeGreaterThan(100_000);
  await session.close();
});

test.each([
  ['another schema', { schema: 'toolwright.session-snapshot.v2' }],
  ['no projection', { projection: null }],
  ['a projection that is none', { projection: { max_output_bytes: 1 } }],
  ['no id', { session_id: undefined }],
  ['an id that is none', { session_id: '' }],
  ['loaded tools that are no list', { loaded_tools: { later: 'me' } }],
  ['a loaded tool without a name', { loaded_tools: [{ by: 'me' }] }],
  ['a taint that is no truth value', { tainted: 'false' }],
  ['grants that are no rules', { grants: ['write:**'] }],
  [
    'a grant that does not load',
    { grants: [{ decision: 'allow', tool: 'edit', effect: 'write', target: 'a[' }] },
  ],
  ['an approval of nothing', { pending_approvals: [{ id: 'approval-1' }] }],
  ['artifacts that are texts', { artifacts: ['a3s://tool-output/x/y'] }],
  [
    'an artifact with a digest that is none',
    { artifacts: [{ uri: 'a', id: 'a', tool: 't', sha256: 'x', bytes: 1, mediaType: 'm' }] },
  ],
  ['what no JSON holds', { tainted: 1n }],
])('a snapshot with %s is refused before anything opens', async (_name, change) => {
  const { snapshot } = await lived(memoryWorkspace());
  // No type allows this; snapshots come back from disks and queues.
  const forged = { ...snapshot, ...change } as SessionSnapshot;
  await expect(host().resume(forged, { workspace: memoryWorkspace() })).rejects.toThrow(TypeError);
});

test('a snapshot with an approval of another session is refused', async () => {
  const { snapshot } = await lived(memoryWorkspace());
  const pending = snapshot.pending_approvals.map((one) => ({ ...one, session_id: 'session-2' }));
  const forged = { ...snapshot, pending_approvals: pending };
  await expect(host().resume(forged, { workspace: memoryWorkspace() })).rejects.toThrow(TypeError);
});

test.each([null, undefined, 'snapshot', [], {}])('%j is no snapshot', async (given) => {
  // No type allows this; snapshots come back from disks and queues.
  const forged = given as SessionSnapshot;
  await expect(host().resume(forged, { workspace: memoryWorkspace() })).rejects.toThrow(TypeError);
});

/** A provider whose one deferred tool comes only when it is let. */
function live() {
  let tools: readonly Tool[] = [];
  const listeners = new Set<() => void>();
  const provider = defineProvider({
    name: 'live',
    version: '1.0.0',
    tools: [],
    connect: () => ({
      get tools() {
        return tools;
      },
      absent: [],
      subscribe: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      ready: Promise.resolve(),
      close: async () => {},
    }),
  });
  const list = (): void => {
    tools = [deferred];
    for (const listener of listeners) listener();
  };
  return { provider, list };
}

test('a loaded tool of a live source is loaded again as soon as the source lists it', async () => {
  const first = live();
  const workspace = memoryWorkspace();
  const before = await createHost({ providers: [first.provider] }).open({ workspace });
  first.list();
  before.catalog.load(['later'], 'select:later');
  const snapshot = thawed(await before.snapshot());
  await before.close();
  const second = live();
  const session = await createHost({ providers: [second.provider] }).resume(snapshot, {
    workspace,
  });
  // A snapshot of a session whose source is not there yet forgets nothing.
  expect((await session.snapshot()).loaded_tools).toEqual(snapshot.loaded_tools);
  expect(session.toolNames()).toEqual([]);
  second.list();
  expect(session.toolNames()).toEqual(['later']);
  expect((await session.invoke({ name: 'later' })).output).toBe('loaded');
  session.catalog.unload(['later']);
  expect((await session.snapshot()).loaded_tools).toEqual([]);
  await session.close();
});

test('without its artifact store a session does not claim what it cannot read', async () => {
  const workspace = memoryWorkspace();
  const { snapshot } = await lived(workspace);
  const session = await host().resume(snapshot, { workspace });
  expect(await session.artifacts.list()).toEqual([]);
  const [lost] = snapshot.artifacts;
  await expect(
    session.artifacts.read(lost?.uri ?? '', { start: 0, length: 4 }),
  ).rejects.toMatchObject({ type: 'not_found' });
  await session.close();
});

test('a grant of a snapshot does not outlive untrusted content where it would run or send', async () => {
  const workspace = memoryWorkspace();
  const { snapshot } = await lived(workspace);
  const run = defineTool({
    name: 'run',
    description: 'Runs a command.',
    input: empty,
    effects: () => [{ kind: 'exec', target: 'make' }],
    run: async () => ({ output: 'made' }),
  });
  const grants = [{ decision: 'allow', tool: 'run', effect: 'exec', target: 'make' } as const];
  const other = createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [run] })],
  });
  const clean = await other.resume({ ...snapshot, grants, tainted: false }, { workspace });
  expect((await clean.invoke({ name: 'run' })).output).toBe('made');
  await clean.close();
  const tainted = await other.resume({ ...snapshot, grants }, { workspace });
  expect((await tainted.invoke({ name: 'run' })).error?.type).toBe('confirmation_rejected');
  await tainted.close();
});

/** Answers an approval from before a restart, after something has changed. */
async function answeredAfter(
  change: (workspace: Workspace) => Promise<unknown>,
  answer: ApprovalAnswer,
  more: { readonly tools?: readonly Tool[]; readonly pending?: JsonObject } = {},
) {
  const { tools = [edit], pending } = more;
  const workspace = memoryWorkspace({ files: { 'b.txt': 'old' } });
  const { snapshot, approval, state } = await lived(workspace, pending);
  await change(workspace);
  const other = createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools })],
  });
  const session = await other.resume(snapshot, { workspace, state });
  const result = await session.answer(approval?.id ?? '', answer);
  const again = await session.answer(approval?.id ?? '', answer);
  await session.close();
  const reader = await workspace.files?.openRead('b.txt');
  const text = new TextDecoder().decode(await reader?.read(0, 99));
  return { error: result.error, again: again.error?.reason, text };
}

const unchanged = async (): Promise<void> => {};
const approve = { decision: 'approve' } as const;

test('after a restart an approved call runs once', async () => {
  expect(await answeredAfter(unchanged, approve)).toEqual({
    error: null,
    again: 'approval_unknown',
    text: 'new',
  });
});

test('after a restart a rejected call does not run, and cannot be approved any more', async () => {
  const { error, again, text } = await answeredAfter(unchanged, { decision: 'reject' });
  expect(error).toMatchObject({ type: 'confirmation_rejected', reason: 'rejected' });
  expect({ again, text }).toEqual({ again: 'approval_unknown', text: 'old' });
});

test('after a restart a call whose tool has another definition does not run', async () => {
  const changed = defineTool({
    name: 'edit',
    description: 'Writes a file, and tells everybody.',
    input: {
      type: 'object',
      properties: { path: { type: 'string' }, text: { type: 'string' } },
      required: ['path', 'text'],
      additionalProperties: false,
    },
    requires: ['files.read', 'files.write'],
    effects: ({ path }) => [{ kind: 'write', target: path }],
    run: async () => ({ output: 'told' }),
  });
  const { error, again, text } = await answeredAfter(unchanged, approve, { tools: [changed] });
  expect(error?.reason).toBe('approval_void');
  expect({ again, text }).toEqual({ again: 'approval_unknown', text: 'old' });
});

test('after a restart a call whose tool is gone does not run', async () => {
  const { error, text } = await answeredAfter(unchanged, approve, { tools: [] });
  expect(error?.type).toBe('unknown_tool');
  expect(text).toBe('old');
});

test('after a restart a call whose file has changed since does not write over it', async () => {
  const overwrite = async (workspace: Workspace): Promise<void> => {
    const transaction = await workspace.writer?.begin();
    const content = new TextEncoder().encode('by somebody else');
    await transaction?.stage({ kind: 'write', path: 'b.txt', content, expected: { kind: 'any' } });
    await transaction?.promoteAll();
  };
  const pending = { if_match: sha256Hex('old') };
  const { error, again, text } = await answeredAfter(overwrite, approve, { pending });
  expect(error?.type).toBe('version_conflict');
  expect({ again, text }).toEqual({ again: 'approval_unknown', text: 'by somebody else' });
  expect((await answeredAfter(unchanged, approve, { pending })).text).toBe('new');
});

test('after a restart changed arguments are judged anew, and only what they are runs', async () => {
  const { error, text } = await answeredAfter(unchanged, {
    decision: 'approve',
    arguments: { path: 'b.txt', text: 'edited' },
  });
  expect(error).toBeNull();
  expect(text).toBe('edited');
  const wrong = await answeredAfter(unchanged, {
    decision: 'approve',
    arguments: { path: 'b.txt', text: 7, more: true },
  });
  expect(wrong.error?.type).toBe('invalid_argument');
  expect(wrong.text).toBe('old');
});

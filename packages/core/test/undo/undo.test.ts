import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type StateStore,
  type Workspace,
  type WorkspaceChange,
} from '../../src/index.ts';
import { memoryState } from '../../src/testing/index.ts';

const change = defineTool({
  name: 'change',
  description: 'Writes or deletes files.',
  input: {
    type: 'object',
    properties: {
      write: { type: 'object', additionalProperties: { type: 'string' } },
      delete: { type: 'array', items: { type: 'string' } },
    },
    additionalProperties: false,
  },
  requires: ['files.read', 'files.write'],
  effects: () => [{ kind: 'write', target: '**' }],
  run: async (input, context) => {
    const expected = { kind: 'any' } as const;
    const changes: WorkspaceChange[] = [
      ...Object.entries(input.write ?? {}).map(([path, text]) => ({
        kind: 'write' as const,
        path,
        content: new TextEncoder().encode(text),
        expected,
      })),
      ...(input.delete ?? []).map((path) => ({ kind: 'delete' as const, path, expected })),
    ];
    const transaction = await context.workspace.writer.begin();
    for (const one of changes) await transaction.stage(one);
    await transaction.promoteAll();
    return { output: 'changed' };
  },
});

const open = (workspace: Workspace, state?: StateStore) =>
  createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [change] })],
  }).open({ workspace, ...(state === undefined ? {} : { state }) });

async function textsOf(workspace: Workspace): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const { name, kind } of (await workspace.files?.list('')) ?? []) {
    if (kind !== 'file') continue;
    const reader = await workspace.files?.openRead(name);
    texts[name] = new TextDecoder().decode(await reader?.read(0, 100));
  }
  return texts;
}

const before = { 'kept.txt': 'one', 'gone.txt': 'two' };
const after = { 'kept.txt': 'ONE', 'new.txt': 'three' };
const edit = { write: after, delete: ['gone.txt'] };

test('undoing puts back what was changed, created and deleted; undoing that does it again, and so on', async () => {
  const workspace = memoryWorkspace({ files: before });
  const session = await open(workspace);
  await session.tool('change', edit, { id: 'c1' });
  expect(await textsOf(workspace)).toEqual(after);
  let last = 'c1';
  for (let round = 0; round < 4; round += 1) {
    const result = await session.undo(last);
    expect(result.error).toBeNull();
    last = result.id;
    expect(await textsOf(workspace)).toEqual(round % 2 === 0 ? before : after);
  }
  expect((await session.undoable()).map(({ tool }) => tool)).toEqual([
    'undo',
    'undo',
    'undo',
    'undo',
    'change',
  ]);
  const { metadata } = await session.undo(last);
  expect(metadata['undo']).toEqual([
    { path: 'kept.txt', action: 'restored' },
    { path: 'new.txt', action: 'deleted' },
    { path: 'gone.txt', action: 'recreated' },
  ]);
  await session.close();
});

test('what has been changed again since is not undone, in whole', async () => {
  const workspace = memoryWorkspace({ files: before });
  const session = await open(workspace);
  await session.tool('change', edit, { id: 'c1' });
  await session.tool('change', { write: { 'new.txt': 'later' } }, { id: 'c2' });
  const { error } = await session.undo('c1');
  expect(error).toMatchObject({ type: 'version_conflict', path: 'new.txt' });
  expect(error?.message).toContain('"new.txt" has been changed since the call "c1"');
  expect(await textsOf(workspace)).toEqual({ ...after, 'new.txt': 'later' });
  expect((await session.undo('c2')).error).toBeNull();
  expect((await session.undo('c1')).error).toBeNull();
  expect(await textsOf(workspace)).toEqual(before);
  await session.close();
});

test('an undo cannot be undone once its files have changed', async () => {
  const workspace = memoryWorkspace({ files: before });
  const session = await open(workspace);
  await session.tool('change', edit, { id: 'c1' });
  const { id } = await session.undo('c1');
  await session.tool('change', { write: { 'kept.txt': 'mine' } });
  expect((await session.undo(id)).error?.type).toBe('version_conflict');
  expect(await textsOf(workspace)).toEqual({ ...before, 'kept.txt': 'mine' });
  expect((await session.undo('never')).error).toMatchObject({
    type: 'not_found',
    reason: 'not_journaled',
  });
  await session.close();
});

test('another process undoes what this one did, and then its undo', async () => {
  const workspace = memoryWorkspace({ files: before });
  const state = memoryState();
  const first = await open(workspace, state);
  await first.tool('change', edit, { id: 'c1' });
  await first.close();
  const second = await open(workspace, state);
  const { id } = await second.undo('c1');
  expect(await textsOf(workspace)).toEqual(before);
  await second.close();
  const third = await open(workspace, state);
  expect((await third.undo(id)).error).toBeNull();
  expect(await textsOf(workspace)).toEqual(after);
  await third.close();
});

const broken: readonly (readonly [string, (state: StateStore) => Partial<StateStore>])[] = [
  ['cannot be listed', () => ({ list: () => Promise.reject(new Error('gone')) })],
  ['cannot be written', () => ({ write: () => Promise.reject(new Error('gone')) })],
  [
    'throws at every turn',
    () => {
      const fail = (): never => {
        throw new Error('gone');
      };
      return { list: fail, read: fail, write: fail, delete: fail };
    },
  ],
  [
    'holds rubbish',
    () => ({
      list: async () => ['undo/entries/x', 'undo/entries/y'],
      read: async (key: string) =>
        new TextEncoder().encode(key.endsWith('x') ? 'no json' : '{"schema":"other"}'),
    }),
  ],
];

test.each(broken)('a state that %s does not keep this process from undoing', async (_name, how) => {
  const workspace = memoryWorkspace({ files: before });
  const state = memoryState();
  const session = await open(workspace, { ...state, ...how(state) });
  await session.tool('change', edit, { id: 'c1' });
  expect((await session.undoable()).map(({ id }) => id)).toEqual(['c1']);
  expect((await session.undo('c1')).error).toBeNull();
  expect(await textsOf(workspace)).toEqual(before);
  await session.close();
});

test('a pre-image that was tampered with is not put back', async () => {
  const workspace = memoryWorkspace({ files: before });
  const state = memoryState();
  const first = await open(workspace, state);
  await first.tool('change', edit, { id: 'c1' });
  await first.close();
  for (const key of await state.list('undo/images/')) {
    await state.write(key, new TextEncoder().encode('tampered'));
  }
  const second = await open(workspace, state);
  expect((await second.undo('c1')).error).toMatchObject({
    type: 'not_found',
    reason: 'image_lost',
  });
  expect(await textsOf(workspace)).toEqual(after);
  await second.close();
});

import { setTimeout as wait } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type ToolEvent,
} from '../../src/index.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 10_000 : 60;

/** A tree of calls; those without children wait until they are let go. */
interface Tree {
  readonly children: readonly Tree[];
}

const trees = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 8, depthSize: 'medium', withCrossShrink: true },
    fc.constant({ children: [] }),
    fc.record({ children: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
  ),
})).tree;

const input = {
  type: 'object',
  properties: { node: { type: 'string' } },
  required: ['node'],
  additionalProperties: false,
} as const;

/** Every call of a tree by its id, in which its place can be read: `n`, `n.0`, `n.0.2`. */
function idsOf(tree: Tree, id = 'n'): readonly string[] {
  return [id, ...tree.children.flatMap((child, index) => idsOf(child, `${id}.${index}`))];
}

const isWithin = (id: string, above: string): boolean => id === above || id.startsWith(`${above}.`);

/** A session in which the tree runs, each call with a signal of its own. */
async function openTree(tree: Tree) {
  const controllers = new Map(idsOf(tree).map((id) => [id, new AbortController()]));
  const waiting = new Set<string>();
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const nodeAt = (id: string): Tree =>
    id
      .split('.')
      .slice(1)
      .reduce<Tree>((node, at) => node.children[Number(at)] ?? node, tree);
  const level = (depth: number) =>
    defineTool({
      name: `level${depth}`,
      description: 'Calls its children and waits.',
      input,
      orchestrator: true,
      effects: () => [],
      run: async ({ node: id }, { invoke, signal }) => {
        const { children } = nodeAt(id);
        waiting.add(id);
        const stopped = new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
        stopped.catch(() => {});
        await Promise.all(
          children.map((_, index) => {
            const child = `${id}.${index}`;
            return invoke(
              { id: child, name: `level${depth + 1}`, arguments: { node: child } },
              { signal: controllers.get(child)?.signal ?? AbortSignal.abort() },
            );
          }),
        );
        await Promise.race([gate, stopped]);
        return { output: id };
      },
    });
  const tools = Array.from({ length: 9 }, (_, depth) => level(depth));
  const session = await createHost({
    providers: [defineProvider({ name: 'levels', version: '1.0.0', tools })],
    policy: { preset: 'trusted' },
  }).open({ workspace: memoryWorkspace() });
  const events: ToolEvent[] = [];
  const stream = session.events({ capacity: 100_000 });
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })();
  const root = session.invoke(
    { id: 'n', name: 'level0', arguments: { node: 'n' } },
    { signal: controllers.get('n')?.signal ?? AbortSignal.abort() },
  );
  const all = idsOf(tree);
  while (waiting.size < all.length) await wait(0);
  return { session, root, all, controllers, letGo, events, reading };
}

const cases = trees.chain((tree) =>
  fc.record({ tree: fc.constant(tree), cancelled: fc.constantFrom(...idsOf(tree)) }),
);

test('I7: cancelling a call cancels its subtree, that alone, each call of it once', async () => {
  let deepest = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ tree, cancelled }) => {
      const { session, root, all, controllers, letGo, events, reading } = await openTree(tree);
      controllers.get(cancelled)?.abort();
      deepest = Math.max(deepest, ...all.map((id) => id.split('.').length));
      const below = all.filter((id) => isWithin(id, cancelled));
      const others = all.filter((id) => !isWithin(id, cancelled));
      const active = (): readonly string[] =>
        session
          .activeTools()
          .map(({ id }) => id)
          .sort();
      while (active().length > others.length) await wait(0);
      expect(active()).toEqual([...others].sort());
      letGo();
      await root;
      await session.close();
      await reading;
      const ends = events.filter((event) => event.type === 'tool_end');
      const inState = (state: string): readonly string[] =>
        ends
          .filter((end) => end.state === state)
          .map(({ id }) => id)
          .sort();
      expect(inState('cancelled')).toEqual([...below].sort());
      expect(inState('completed')).toEqual([...others].sort());
      expect(ends).toHaveLength(all.length);
    }),
    { numRuns, seed: 7 },
  );
  // As deep as the kernel lets calls go.
  expect(deepest).toBe(9);
}, 3_600_000);

test('I7: closing a session cancels every tree in it, and ends after the last of their calls', async () => {
  await fc.assert(
    fc.asyncProperty(trees, async (tree) => {
      const { session, root, all, events, reading } = await openTree(tree);
      await session.close();
      expect(session.activeTools()).toEqual([]);
      expect((await root).error?.type).toBe('session_closed');
      await reading;
      const ends = events.filter((event) => event.type === 'tool_end');
      expect(ends.map(({ id }) => id).sort()).toEqual([...all].sort());
      expect(ends.every(({ state }) => state === 'cancelled')).toBe(true);
    }),
    { numRuns: Math.ceil(numRuns / 3), seed: 8 },
  );
}, 3_600_000);

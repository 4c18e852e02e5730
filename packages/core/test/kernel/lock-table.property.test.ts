import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LockTable, type LockLease, type LockOwner } from '../../src/kernel/lock-table.ts';
import { overlaps, type LockTarget } from '../../src/kernel/lock-target.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 10_000 : 400;

const targets: fc.Arbitrary<LockTarget> = fc.record({
  mode: fc.constantFrom('read', 'write'),
  path: fc.constantFrom('', 'a', 'b', 'a/x', 'a/y', 'b/x', 'ab'),
  tree: fc.boolean(),
});

/** One step: a call asks, one that holds lets go, or one that waits gives up. */
type Step =
  | { readonly kind: 'ask'; readonly targets: readonly LockTarget[] }
  | { readonly kind: 'release' | 'abandon'; readonly which: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant<'ask'>('ask'),
    targets: fc.array(targets, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constantFrom('release', 'abandon'), which: fc.nat(20) }),
);

interface Asked {
  readonly targets: readonly LockTarget[];
  state: 'waits' | 'holds' | 'gone';
}

const clash = (one: Asked, other: Asked): boolean =>
  one.targets.some((x) =>
    other.targets.some((y) => (x.mode === 'write' || y.mode === 'write') && overlaps(x, y)),
  );

/** Who holds, written down as plainly as can be: first come first served, all targets at once. */
function settle(all: readonly Asked[]): void {
  for (const [index, one] of all.entries()) {
    if (one.state !== 'waits') continue;
    const isFree = all.every(
      (other, at) =>
        other === one ||
        other.state === 'gone' ||
        (other.state === 'waits' && at > index) ||
        !clash(one, other),
    );
    if (isFree) one.state = 'holds';
  }
}

test('I8: who holds which locks is what first come first served says, and nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (script) => {
      const table = new LockTable();
      const model: Asked[] = [];
      const real: { lease?: LockLease; readonly controller: AbortController; over?: boolean }[] =
        [];
      const compare = async (): Promise<void> => {
        settle(model);
        for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
        expect(real.map(({ lease }) => lease !== undefined)).toEqual(
          model.map(({ state }, at) => state === 'holds' || real[at]?.lease !== undefined),
        );
        const holding = model.filter(({ state }) => state === 'holds');
        for (const [at, one] of holding.entries()) {
          for (const other of holding.slice(at + 1)) expect(clash(one, other)).toBe(false);
        }
      };
      for (const step of script) {
        if (step.kind === 'ask') {
          const entry: (typeof real)[number] = { controller: new AbortController() };
          const owner: LockOwner = { parent: undefined, locksHeld: 0 };
          real.push(entry);
          model.push({ targets: step.targets, state: 'waits' });
          const acquire = async (): Promise<LockLease> =>
            table.acquire(owner, step.targets, entry.controller.signal);
          acquire().then(
            (lease) => void (entry.lease = lease),
            () => {},
          );
        } else {
          const wanted = step.kind === 'release' ? 'holds' : 'waits';
          const candidates = model.flatMap(({ state }, at) => (state === wanted ? [at] : []));
          const at = candidates[step.which % Math.max(1, candidates.length)];
          const asked = at === undefined ? undefined : model[at];
          if (at === undefined || asked === undefined) continue;
          asked.state = 'gone';
          if (step.kind === 'release') real[at]?.lease?.release();
          else real[at]?.controller.abort();
        }
        await compare();
      }
      for (const { controller } of real) controller.abort();
      for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
      for (const { lease } of real) lease?.release();
      expect(table.size).toBe(0);
    }),
    { numRuns, seed: 8 },
  );
}, 3_600_000);

const never = new AbortController().signal;
const write = (path: string): readonly LockTarget[] => [{ mode: 'write', path, tree: false }];

test('a call that would wait for one that waits for it is refused', async () => {
  const table = new LockTable();
  const one: LockOwner = { parent: undefined, locksHeld: 0 };
  const other: LockOwner = { parent: undefined, locksHeld: 0 };
  const a = await table.acquire(one, write('a'), never);
  const b = await table.acquire(other, write('b'), never);
  const waiting = table.acquire(one, write('b'), never);
  await expect(async () => table.acquire(other, write('a'), never)).rejects.toMatchObject({
    type: 'version_conflict',
    reason: 'deadlock',
  });
  b.release();
  (await waiting).release();
  a.release();
  expect(table.size).toBe(0);
});

test('a child passes through the locks above it, and is refused where they would wait for each other', async () => {
  const table = new LockTable();
  const parent: LockOwner = { parent: undefined, locksHeld: 0 };
  const child: LockOwner = { parent, locksHeld: 0 };
  const other: LockOwner = { parent: undefined, locksHeld: 0 };
  const a = await table.acquire(parent, write('a'), never);
  const inner = await table.acquire(child, write('a'), never);
  inner.release();
  const b = await table.acquire(other, write('b'), never);
  const waiting = table.acquire(other, write('a'), never);
  await expect(async () => table.acquire(child, write('b'), never)).rejects.toMatchObject({
    reason: 'deadlock',
  });
  a.release();
  (await waiting).release();
  b.release();
  expect(table.size).toBe(0);
});

// Schedules: trees of calls, what goes wrong where, and who cancels what when.
import * as fc from 'fast-check';

/** Where something can go wrong: everything that is not the kernel. */
export const places = [
  'beforeTool',
  'afterTool',
  'permissionRequest',
  'approver',
  'asker',
  'budget.check',
  'budget.reserve',
  'budget.settle',
  'telemetry',
  'effects',
  'tool',
  'artifacts',
  'state',
  'http',
  'files',
  'writer',
  'resolvePath',
] as const;

export type Place = (typeof places)[number];

/** How: by throwing, rejecting, never answering, answering rubbish, no, too late, twice, or untruly. */
export const manners = [
  'throw',
  'reject',
  'hang',
  'nonsense',
  'deny',
  'late',
  'twice',
  'lie',
] as const;

export type Manner = (typeof manners)[number];

/** One thing that goes wrong, from its nth occasion on, so often. */
export interface Fault {
  readonly place: Place;
  readonly manner: Manner;
  readonly from: number;
  readonly times: number;
}

/** What a call without children does. */
export const acts = [
  'write',
  'read',
  'fetch',
  'large',
  'stream',
  'keep',
  'ask',
  'note',
  'content',
] as const;

export type Act = (typeof acts)[number];

/** One call and those that it makes, one after the other or at once. */
export interface CallNode {
  readonly act: Act;
  readonly path: string;
  readonly children: readonly CallNode[];
  readonly together: boolean;
}

/** A call of the host or an agent, and after how many turns of the event loop it is cancelled, if at all. */
export interface Root {
  readonly node: CallNode;
  readonly asHost: boolean;
  readonly cancelAfter: number | undefined;
}

/** How the session's events are listened to, beside the test's own record. */
export const listeners = ['none', 'reads', 'neverReads', 'leaves', 'throws'] as const;

export interface Plan {
  readonly roots: readonly Root[];
  readonly faults: readonly Fault[];
  readonly listener: (typeof listeners)[number];
}

const paths = fc.constantFrom('a.txt', 'b.txt', 'dir/c.txt', 'dir/**', '**', 'denied.txt');

const leaves: fc.Arbitrary<CallNode> = fc.record({
  act: fc.constantFrom(...acts),
  path: paths,
  children: fc.constant([]),
  together: fc.constant(false),
});

/** Trees of at most nine levels: one more than the kernel allows. */
export function nodes(maxDepth = 8): fc.Arbitrary<CallNode> {
  return fc.letrec<{ node: CallNode }>((tie) => ({
    node: fc.oneof(
      { maxDepth, depthSize: 'small' },
      leaves,
      fc.record({
        act: fc.constantFrom(...acts),
        path: paths,
        children: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
        together: fc.boolean(),
      }),
    ),
  })).node;
}

const faults: fc.Arbitrary<Fault> = fc.record({
  place: fc.constantFrom(...places),
  manner: fc.constantFrom(...manners),
  from: fc.constantFrom(1, 1, 1, 2, 3, 6),
  times: fc.constantFrom(1, 1, 2, 1_000),
});

/** Schedules with up to four faults. */
export const plans: fc.Arbitrary<Plan> = fc.record({
  roots: fc.array(
    fc.record({
      node: nodes(),
      asHost: fc.boolean(),
      cancelAfter: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined, freq: 3 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  faults: fc.array(faults, { maxLength: 4 }),
  listener: fc.constantFrom(...listeners),
});

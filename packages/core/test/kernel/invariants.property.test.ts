import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  sha256Hex,
  type Budget,
  type HostOptions,
  type JsonValue,
  type OpenOptions,
  type ToolEvent,
} from '../../src/index.ts';
import { faultyWorkspace, type WorkspaceFault } from '../../src/testing/index.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 10_000 : 100;

const input = {
  type: 'object',
  properties: { path: { type: 'string' }, nested: { type: 'boolean' } },
  required: ['path'],
  additionalProperties: false,
} as const;

/** Where something goes wrong. Hangs are cut short by the cancelled calls of the schedule. */
type Place =
  | 'before'
  | 'after'
  | 'permission'
  | 'approver'
  | 'budget'
  | 'telemetry'
  | 'tool'
  | 'none';

interface Plan {
  readonly place: Place;
  readonly how: 'throw' | 'nonsense' | 'deny';
  readonly workspace: { readonly nth: number; readonly fault: WorkspaceFault };
  readonly calls: readonly {
    readonly path: string;
    readonly nested: boolean;
    readonly asHost: boolean;
    /** Microtask turns until the call is cancelled; undefined: 200 ms, so that nothing hangs. */
    readonly cancelAfter: number | undefined;
  }[];
}

const plans: fc.Arbitrary<Plan> = fc.record({
  place: fc.constantFrom<Place>(
    'before',
    'after',
    'permission',
    'approver',
    'budget',
    'telemetry',
    'tool',
    'none',
  ),
  how: fc.constantFrom('throw', 'nonsense', 'deny'),
  workspace: fc.record({
    nth: fc.integer({ min: 0, max: 20 }),
    fault: fc.constantFrom<WorkspaceFault>('throw', 'hang', 'lie', 'twice'),
  }),
  calls: fc.array(
    fc.record({
      path: fc.constantFrom('a.txt', 'b.txt', '**'),
      nested: fc.boolean(),
      asHost: fc.boolean(),
      cancelAfter: fc.option(fc.integer({ min: 0, max: 80 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

/** Throws, answers what is no answer, or refuses, where the plan says so. */
function fault(plan: Plan, place: Place, refusal: unknown): unknown {
  if (plan.place !== place) return undefined;
  if (plan.how === 'throw') throw Object.create(null);
  return plan.how === 'deny' ? refusal : 42;
}

function hostOptions(plan: Plan): Omit<HostOptions, 'providers'> {
  // What a broken host would answer has no type.
  const answer = (step: unknown) => (step ?? { decision: 'allow' }) as ReturnType<Budget['check']>;
  return {
    hooks: [
      {
        beforeTool: () =>
          (fault(plan, 'before', { action: 'deny', reason: 'no' }) ?? { action: 'continue' }) as {
            action: 'continue';
          },
        afterTool: () => void fault(plan, 'after', undefined),
        permissionRequest: () => fault(plan, 'permission', { decision: 'reject' }) as undefined,
      },
    ],
    budget: {
      check: () =>
        answer(
          fault(plan, 'budget', { decision: 'deny', resource: 'calls', consumed: 1, limit: 1 }),
        ),
      reserve: () => answer(undefined),
      settle: () => void fault(plan, 'budget', undefined),
    },
    telemetry: () => void fault(plan, 'telemetry', undefined),
  };
}

async function run(plan: Plan) {
  const events: ToolEvent[] = [];
  /** Calls that write, by path, at this moment. */
  const writing = new Map<string, number>();
  const overlaps: string[] = [];
  let ran = 0;
  const write = defineTool({
    name: 'write',
    description: 'Writes a path.',
    input,
    requires: ['files.read', 'files.write'],
    capabilities: { maxParallelism: 8 },
    effects: ({ path }) => [{ kind: 'write', target: path }],
    run: async ({ path }, { workspace }) => {
      ran += 1;
      const others =
        path === '**' ? [...writing.values()] : [writing.get(path) ?? 0, writing.get('**') ?? 0];
      if (others.some((count) => count > 0)) overlaps.push(path);
      writing.set(path, (writing.get(path) ?? 0) + 1);
      try {
        const target = path === '**' ? 'c.txt' : path;
        const transaction = await workspace.writer.begin();
        try {
          const content = new TextEncoder().encode('new');
          await transaction.stage({
            kind: 'write',
            path: target,
            content,
            expected: { kind: 'any' },
          });
          await transaction.promoteAll();
        } finally {
          await transaction.rollback();
        }
        const lie = fault(plan, 'tool', { output: 'x'.repeat(200_000) });
        return (lie ?? { output: 'written' }) as { output: string };
      } finally {
        writing.set(path, (writing.get(path) ?? 1) - 1);
      }
    },
  });
  const outer = defineTool({
    name: 'outer',
    description: 'Calls write.',
    input,
    orchestrator: true,
    effects: () => [],
    run: async ({ path }, context) => {
      const inner = await context.invoke({ name: 'write', arguments: { path } });
      return { output: inner.output };
    },
  });
  const clean = memoryWorkspace({ files: { 'a.txt': 'old', 'b.txt': 'old' } });
  const open: OpenOptions = {
    workspace: faultyWorkspace(clean, plan.workspace),
    approver: async () =>
      (fault(plan, 'approver', { decision: 'reject' }) ?? { decision: 'approve' }) as {
        decision: 'approve';
      },
  };
  const session = await createHost({
    ...hostOptions(plan),
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [write, outer] })],
  }).open(open);
  const stream = session.events();
  const reading = (async () => {
    for await (const event of stream) events.push(event);
  })();
  const results = await Promise.all(
    plan.calls.map(async ({ path, nested, asHost, cancelAfter }, index) => {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), 30);
      const name = nested ? 'outer' : 'write';
      const options = { signal: controller.signal };
      const call = asHost
        ? session.tool(name, { path }, { ...options, id: `call-${index}` })
        : session.invoke({ id: `call-${index}`, name, arguments: { path } }, options);
      if (cancelAfter !== undefined) {
        for (let turn = 0; turn < cancelAfter; turn += 1) await Promise.resolve();
        controller.abort();
      }
      const result = await call;
      clearTimeout(timer);
      return result;
    }),
  );
  const active = session.activeTools();
  await session.close();
  await reading;
  return { session, results, events, overlaps, active, ran, clean };
}

test('I1, I3, I7, I8, I9: every call ends once, is measured truly, and leaves nothing', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const { results, events, overlaps, active, ran } = await run(plan);
      expect(active).toEqual([]);
      const started = events.filter(({ type }) => type === 'tool_start');
      const ended = events.filter(({ type }) => type === 'tool_end');
      const ids = (list: readonly ToolEvent[]) => list.map((event) => event.invocation_id).sort();
      expect(new Set(ids(ended)).size).toBe(ended.length);
      expect(ids(ended)).toEqual(ids(started));
      // A call may be stopped while a workspace that hangs still holds its tool; then its lock is gone.
      expect(plan.workspace.fault === 'hang' ? [] : overlaps).toEqual([]);
      for (const result of results) {
        const evidence = Object.entries(result.metadata).find(
          ([key]) => key === 'a3s_tool_result_evidence',
        )?.[1] as Readonly<Record<string, JsonValue>>;
        const bytes = new TextEncoder().encode(result.output);
        expect(evidence['projected_bytes']).toBe(bytes.length);
        expect(evidence['projected_digest']).toContain(sha256Hex(bytes));
        expect(bytes.length).toBeLessThanOrEqual(102_400);
      }
      expect(plan.place === 'before' || plan.place === 'budget' ? ran : 0).toBe(0);
    }),
    { numRuns, seed: 20_261_130 },
  );
}, 300_000);

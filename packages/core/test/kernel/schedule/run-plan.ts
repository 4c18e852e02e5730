// Runs a schedule to its end under a clock that the test moves, and tells all that was seen.
import { getEventListeners } from 'node:events';
import { vi } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type Session,
  type ToolEvent,
  type ToolResult,
} from '../../../src/index.ts';
import {
  approverOf,
  artifactsOf,
  askerOf,
  budgetOf,
  FaultyWorld,
  hooksOf,
  httpOf,
  nobodyAsked,
  stateOf,
  workspaceOf,
} from './faults.ts';
import type { CallNode, Plan } from './plan.ts';
import { toolOf, toolsOf } from './tools.ts';

/** Virtual milliseconds after which a schedule is stopped from outside, as a person would. */
const patienceMs = 180_000;

/** Virtual milliseconds in which what was stopped must have ended: every bound of the kernel, some of them in a row. */
const endMs = 300_000;

/** The calls of a plan by id, which tells their place: `r0`, `r0.1`, … */
export function callsOf(plan: Plan): ReadonlyMap<string, CallNode> {
  const calls = new Map<string, CallNode>();
  const add = (id: string, node: CallNode): void => {
    calls.set(id, node);
    node.children.forEach((child, index) => add(`${id}.${index}`, child));
  };
  plan.roots.forEach(({ node }, index) => add(`r${index}`, node));
  return calls;
}

/** Settles work by letting promises settle and, when that is not enough, time pass. */
export async function drive<T>(work: Promise<T>, limitMs: number): Promise<T | 'stalled'> {
  const state = { settled: false };
  const settle = (): void => {
    state.settled = true;
  };
  work.then(settle, settle);
  for (let turn = 0; turn < 4_000 && !state.settled; turn += 1) await Promise.resolve();
  for (let passed = 0; !state.settled; passed += 500) {
    if (passed > limitMs) return 'stalled';
    await vi.advanceTimersByTimeAsync(500);
  }
  return work;
}

/** Runs a schedule; fake timers must be on. */
export async function runPlan(plan: Plan) {
  const world = new FaultyWorld(plan.faults);
  const asked = nobodyAsked();
  const calls = callsOf(plan);
  const { leaves, groups, doings } = toolsOf(calls, world);
  const even = groups.filter((_, level) => level % 2 === 0);
  const odd = groups.filter((_, level) => level % 2 === 1);
  const trusted = defineProvider({ name: 'trusted', version: '1.0.0', tools: even });
  const memory = memoryWorkspace({ files: { 'a.txt': 'a', 'b.txt': 'b', 'dir/c.txt': 'c' } });
  const { workspace, operations } = workspaceOf(world, memory);
  const http = httpOf(world);
  const host = createHost({
    providers: [
      trusted,
      defineProvider({ name: 'strange', version: '1.0.0', tools: odd }),
      defineProvider({ name: 'leaves', version: '1.0.0', tools: leaves }),
    ],
    trustedOrchestrators: [trusted],
    policy: { rules: [{ decision: 'deny', effect: 'write', target: 'denied.txt' }] },
    hooks: [hooksOf(world, asked)],
    budget: budgetOf(world, asked),
    telemetry: (record) => {
      asked.records.push(record);
      return world.at('telemetry', () => Promise.resolve());
    },
  });
  const session = await host.open({
    workspace,
    services: { http },
    artifacts: artifactsOf(world),
    state: stateOf(world),
    approver: approverOf(world),
    asker: askerOf(world),
  });
  const events: ToolEvent[] = [];
  const record = session.events({ capacity: 1_000_000 });
  const recording = (async () => {
    for await (const event of record) events.push(event);
  })();
  const listening = listen(session, plan.listener);
  const controllers = plan.roots.map(() => new AbortController());
  const running = Promise.all(
    plan.roots.map((root, index) => start(session, { root, index, controllers })),
  );
  let stalled = false;
  let results = await drive(running, patienceMs);
  if (results === 'stalled') {
    // Only a person who never answers may take so long.
    stalled = true;
    for (const controller of controllers) controller.abort();
    results = await drive(running, endMs);
  }
  // A call that was stopped may end before what it called.
  await drive(quiet(session), endMs);
  const active = session.activeTools();
  const snapshot = await drive(session.snapshot(), endMs);
  const closed = await drive(session.close(), endMs);
  await drive(Promise.all([recording, listening]), 1_000);
  const probed = await probe(memory, workspace);
  // What comes too late has a timer of its own; then none may be left.
  await vi.advanceTimersByTimeAsync(20_000);
  return {
    world,
    asked,
    calls,
    doings,
    events,
    results: results === 'stalled' ? undefined : results,
    stalled,
    active,
    snapshot,
    closed,
    probed,
    operations: operations(),
    requests: http.requests.length,
    timers: vi.getTimerCount(),
    listeners: controllers.flatMap(({ signal }) => getEventListeners(signal, 'abort')).length,
  };
}

async function quiet(session: Session): Promise<void> {
  while (session.activeTools().length > 0) {
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}

async function start(
  session: Session,
  what: {
    readonly root: Plan['roots'][number];
    readonly index: number;
    readonly controllers: readonly AbortController[];
  },
): Promise<ToolResult> {
  const { root, index } = what;
  const id = `r${index}`;
  const name = toolOf(root.node, 0);
  const args = { node: id };
  const signal = what.controllers[index]?.signal ?? AbortSignal.abort();
  const call = root.asHost
    ? session.tool(name, args, { id, signal })
    : session.invoke({ id, name, arguments: args }, { signal });
  if (root.cancelAfter !== undefined) {
    for (let turn = 0; turn < root.cancelAfter; turn += 1) await Promise.resolve();
    what.controllers[index]?.abort();
  }
  return call;
}

/** A second listener, as good or bad as the plan says. */
async function listen(session: Session, how: Plan['listener']): Promise<void> {
  if (how === 'none') return;
  const stream = session.events({ capacity: 4 });
  if (how === 'neverReads') return;
  let seen = 0;
  try {
    for await (const _ of stream) {
      seen += 1;
      if (how === 'leaves' && seen > 3) return;
      if (how === 'throws' && seen > 3) throw new Error('a listener that breaks');
    }
  } catch {
    // A listener's own affair.
  }
}

/** Whether the whole workspace can be locked again by another session, at once. */
async function probe(
  memory: ReturnType<typeof memoryWorkspace>,
  workspace: ReturnType<typeof memoryWorkspace>,
): Promise<boolean> {
  const lock = defineTool({
    name: 'lock',
    description: 'Locks everything.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    effects: () => [{ kind: 'unknown', target: '**' }],
    run: async () => ({ output: 'locked' }),
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'probe', version: '1.0.0', tools: [lock] })],
  }).open({ workspace });
  const result = await drive(session.tool('lock'), 1_000);
  await session.close();
  await memory.close();
  return result !== 'stalled' && result.error === null;
}

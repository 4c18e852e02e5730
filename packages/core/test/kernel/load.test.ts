import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import {
  defineProvider,
  defineTool,
  memoryArtifactStore,
  memoryWorkspace,
  ToolError,
  type Session,
} from '../../src/index.ts';
import { loadPolicy } from '../../src/policy/load-policy.ts';
import { conservativeProjection } from '../../src/projection/policy.ts';
import { createSanitiser } from '../../src/sanitise/sanitiser.ts';
import { LiveSession } from '../../src/session/live-session.ts';
import { openKernelSession } from '../../src/session/open-session.ts';
import { memoryState } from '../../src/testing/index.ts';

const calls = process.env['TOOLWRIGHT_LONG'] === '1' ? 100_000 : 4_000;
const inFlight = 1_000;

/** Bytes by which the heap may differ between two looks; a hundredth of what a kilobyte a call would leave. */
const heapSlack = 6 * 1024 * 1024;

const input = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
} as const;

const read = defineTool({
  name: 'read',
  description: 'Reads one of the files.',
  input,
  requires: ['files.read'],
  capabilities: { readOnly: true, maxParallelism: 256 },
  effects: ({ n }) => [{ kind: 'read', target: `file-${n % 16}` }],
  run: async ({ n }, context) => {
    context.progress({ current: n });
    context.delta(`piece ${n}\n`);
    const reader = await context.workspace.files.openRead(`file-${n % 16}`);
    try {
      return { output: await reader.read(0, 100), metadata: { n } };
    } finally {
      await reader.close();
    }
  },
});

const write = defineTool({
  name: 'write',
  description: 'Writes one of the files.',
  input,
  requires: ['files.read', 'files.write'],
  capabilities: { maxParallelism: 64 },
  effects: ({ n }) => [{ kind: 'write', target: `file-${n % 16}` }],
  run: async ({ n }, { workspace }) => {
    const transaction = await workspace.writer.begin();
    try {
      const content = new TextEncoder().encode(`${n}`);
      const path = `file-${n % 16}`;
      await transaction.stage({ kind: 'write', path, content, expected: { kind: 'any' } });
      await transaction.promoteAll();
    } finally {
      await transaction.rollback();
    }
    return { output: 'written' };
  },
});

const group = defineTool({
  name: 'group',
  description: 'Calls another tool.',
  input,
  orchestrator: true,
  capabilities: { maxParallelism: 256 },
  effects: () => [],
  run: async ({ n }, context) => {
    const { output } = await context.invoke({ name: 'read', arguments: { n } });
    return { output };
  },
});

const large = defineTool({
  name: 'large',
  description: 'Answers with more than fits.',
  input,
  capabilities: { readOnly: true, maxParallelism: 256 },
  effects: () => [],
  run: async ({ n }) => ({ output: `${n} `.repeat(40_000) }),
});

const fail = defineTool({
  name: 'fail',
  description: 'Fails.',
  input,
  capabilities: { maxParallelism: 256 },
  effects: () => [],
  run: async ({ n }) => {
    throw new ToolError('not_found', `There is no ${n}.`);
  },
});

/** Makes calls of every kind, a thousand at once; what they kept is released. */
async function load(session: Session, count: number): Promise<Record<string, number>> {
  const states: Record<string, number> = {};
  const shared = new AbortController();
  let next = 0;
  const one = async (n: number): Promise<void> => {
    const name = ['read', 'write', 'group', 'read', 'fail', 'read', 'group'][n % 7] ?? 'read';
    const id = `call-${n}`;
    const own = new AbortController();
    const signal = n % 5 === 0 ? own.signal : shared.signal;
    const call = { id, name: n % 200 === 0 ? 'large' : name, arguments: { n } };
    const running = session.invoke(call, { signal });
    if (n % 15 === 0) {
      for (let turn = 0; turn < n % 90; turn += 1) await Promise.resolve();
      own.abort();
    }
    const { error } = await running;
    const state = error?.type ?? 'completed';
    states[state] = (states[state] ?? 0) + 1;
    await session.release(id);
    if (getEventListeners(own.signal, 'abort').length > 0) throw new Error('a listener was left');
  };
  const work = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await one(next);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  expect(getEventListeners(shared.signal, 'abort')).toEqual([]);
  return states;
}

setFlagsFromString('--expose-gc');
// The flag makes it a global of contexts that are made from now on.
const collectGarbage = runInNewContext('gc') as () => void;

async function heapBytes(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  return process.memoryUsage().heapUsed;
}

/** How many timers, sockets and other handles of each kind there are. */
function handles(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind !== 'Immediate') counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** Kinds of which there are more than there were; the test runner has timers of its own, which come and go. */
function more(before: ReadonlyMap<string, number>): readonly string[] {
  return [...handles()].filter(([kind, n]) => n > (before.get(kind) ?? 0)).map(([kind]) => kind);
}

test('many calls, a thousand in flight, leave the session as it was', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warn);
  const files = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`file-${n}`, `${n}`]));
  const workspace = memoryWorkspace({ files });
  const artifacts = memoryArtifactStore();
  const tools = [read, write, group, large, fail];
  const kernel = openKernelSession(
    {
      options: {
        providers: [defineProvider({ name: 'family', version: '1.0.0', tools })],
        // A group counts with what it calls.
        maxActiveCalls: 2 * inFlight,
      },
      policy: loadPolicy({ preset: 'trusted' }),
      projection: conservativeProjection,
      sanitiser: createSanitiser(['a-secret-that-never-comes']),
    },
    { workspace, artifacts, state: memoryState() },
  );
  const session = new LiveSession({ kernel, connections: [], instructions: [] });
  const before = handles();
  const stream = session.events({ capacity: 64 });
  let heard = 0;
  const listening = (async () => {
    for await (const _ of stream) heard += 1;
  })();
  const first = await load(session, calls / 2);
  const heapBefore = await heapBytes();
  const second = await load(session, calls / 2);
  const heapAfter = await heapBytes();
  expect(Object.keys(first).sort()).toEqual(['cancelled', 'completed', 'not_found']);
  expect(Object.keys(second).sort()).toEqual(Object.keys(first).sort());
  expect(heapAfter - heapBefore).toBeLessThan(heapSlack);
  expect(session.activeTools()).toEqual([]);
  expect({
    active: kernel.active.size,
    running: kernel.running.count,
    lanes: kernel.lanes.size,
    locks: kernel.locks.size,
    sessionListeners: kernel.stop.followers + getEventListeners(kernel.stop.signal, 'abort').length,
    handles: more(before),
  }).toEqual({
    active: 0,
    running: 0,
    lanes: 0,
    locks: 0,
    sessionListeners: 0,
    handles: [],
  });
  // Everything was released, so there is room for as much as the store ever takes.
  const whole = await artifacts.put(new Uint8Array(16 * 1024 * 1024), { tool: 'other' });
  expect(whole.retained).toBe(true);
  await session.close();
  await listening;
  expect(heard).toBeGreaterThan(calls * 3);
  expect(more(before)).toEqual([]);
  process.off('warning', warn);
  expect(warnings).toEqual([]);
}, 3_600_000);

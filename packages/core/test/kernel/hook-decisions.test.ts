import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type ApprovalAnswer,
  type BeforeToolDecision,
  type Hooks,
  type JsonObject,
} from '../../src/index.ts';

/** A call that policy asks about, under these hooks: what came of it, and what ran. */
async function outcomeOf(hooks: Hooks) {
  const ran: JsonObject[] = [];
  const tool = defineTool({
    name: 'note',
    description: 'Notes a text.',
    input: {
      type: 'object',
      properties: { text: { type: 'string' } },
      additionalProperties: false,
    },
    effects: () => [{ kind: 'write', target: 'note.txt' }],
    run: async (input) => {
      ran.push({ ...input });
      return { output: 'noted' };
    },
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'notes', version: '1.0.0', tools: [tool] })],
    hooks: [hooks],
  }).open({ workspace: memoryWorkspace(), approver: async () => ({ decision: 'approve' }) });
  const result = await session.invoke({ name: 'note', arguments: { text: 'given' } });
  const grants = session.grants().length;
  await session.close();
  return { ...result, ran, grants };
}

function cyclic(): object {
  const decision: Record<string, unknown> = { action: 'none of them' };
  decision['itself'] = decision;
  return decision;
}

const noDecisions: readonly (readonly [string, () => unknown])[] = [
  ['null', () => null],
  ['a text', () => 'continue'],
  ['a number', () => 1],
  ['a function', () => () => 'continue'],
  ['a list', () => []],
  ['an object without an action', () => ({})],
  ['an unknown action', () => ({ action: 'skip' })],
  ['an action that no JSON holds', () => ({ action: 10n })],
  ['an action in an object that holds itself', cyclic],
  ['an action that cannot be read', () => Object.defineProperty({}, 'action', { get: explode })],
  ['a rewriting without arguments', () => ({ action: 'rewrite' })],
  ['a delay that is none', () => ({ action: 'retry', reason: 'busy' })],
  ['a delay of no number', () => ({ action: 'retry', reason: 'busy', retryAfterMs: Number.NaN })],
  ['a delay that has passed', () => ({ action: 'retry', reason: 'busy', retryAfterMs: -1 })],
  ['an endless delay', () => ({ action: 'retry', reason: 'busy', retryAfterMs: Infinity })],
];

function explode(): never {
  throw new Error('cannot be read');
}

test.each(noDecisions)('a before-hook that answers %s denies the call', async (_name, answer) => {
  // No type allows these; hooks of plain JavaScript give them.
  const { error, ran } = await outcomeOf({ beforeTool: answer as () => BeforeToolDecision });
  expect(error).toMatchObject({
    type: 'hook_denied',
    reason: 'hook_failed',
    stage: 'before_hooks',
    retryable: false,
  });
  expect(ran).toEqual([]);
});

test('a before-hook that answers nothing only looked on', async () => {
  const seen: string[] = [];
  const beforeTool = (call: { readonly tool: string }): void => void seen.push(call.tool);
  // No type allows it; hooks of plain JavaScript do it.
  const { error, ran } = await outcomeOf({
    beforeTool: beforeTool as unknown as () => BeforeToolDecision,
  });
  expect([error, ran, seen]).toEqual([null, [{ text: 'given' }], ['note']]);
});

test('a decision is read once: one that says something else the second time is what it was', async () => {
  const answers = ['deny', 'continue'];
  const decision = {
    get action() {
      return answers.shift();
    },
    reason: 'no',
  };
  const { error, ran } = await outcomeOf({ beforeTool: () => decision as BeforeToolDecision });
  expect(error).toMatchObject({ type: 'hook_denied', detail: 'no' });
  expect(ran).toEqual([]);
});

test.each([Symbol('why'), { why: 1 }, 7])(
  'a reason that is no text (%o) is as good as none, and the rewriting holds',
  async (reason) => {
    const beforeTool = () => ({ action: 'rewrite', arguments: { text: 'other' }, reason });
    const outcome = await outcomeOf({ beforeTool: beforeTool as () => BeforeToolDecision });
    expect(outcome.error).toBeNull();
    expect(outcome.ran).toEqual([{ text: 'other' }]);
    expect(outcome.metadata['rewrites']).toEqual(['no reason given']);
    expect(outcome.output).toBe(
      '[the host changed the arguments of this call: no reason given]\nnoted',
    );
  },
);

test('a denial without a reason denies', async () => {
  const { error, ran } = await outcomeOf({
    beforeTool: () => ({ action: 'deny' }) as BeforeToolDecision,
  });
  expect(error).toMatchObject({ type: 'hook_denied' });
  expect(error?.detail).toBeUndefined();
  expect(ran).toEqual([]);
});

test('a call that is put off says for how long', async () => {
  const { error, ran } = await outcomeOf({
    beforeTool: () => ({ action: 'retry', reason: 'busy', retryAfterMs: 900 }),
  });
  expect(error).toMatchObject({
    type: 'hook_denied',
    reason: 'retry_later',
    detail: 'busy',
    retryable: true,
    retry_after_ms: 900,
  });
  expect(ran).toEqual([]);
});

test.each([null, 'approve', 1, {}, [], { decision: 'yes' }])(
  'a permission hook that answers %j rejects the call',
  async (answer) => {
    const permissionRequest = () => answer as unknown as ApprovalAnswer;
    const { error, ran } = await outcomeOf({ permissionRequest });
    expect(error).toMatchObject({ type: 'confirmation_rejected', reason: 'rejected' });
    expect(ran).toEqual([]);
  },
);

test('a permission hook that says yes to remembering in other words grants nothing', async () => {
  const answer = { decision: 'approve', remember: 'yes' } as unknown as ApprovalAnswer;
  const { error, grants } = await outcomeOf({ permissionRequest: () => answer });
  expect(error).toBeNull();
  expect(grants).toBe(0);
});

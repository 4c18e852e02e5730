import { setTimeout as wait } from 'node:timers/promises';
import { defineTool } from '@toolwright/core';

const none = { type: 'object', properties: {}, additionalProperties: false } as const;

const text = {
  type: 'object',
  properties: { text: { type: 'string' } },
  additionalProperties: false,
} as const;

/** Answers with what it was given. */
export const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Answers with what it is given.',
  input: text,
  capabilities: { readOnly: true, idempotent: true, maxParallelism: 64 },
  effects: () => [],
  run: async ({ text: said = '' }) => ({ output: said }),
});

/** A tool that policy asks about; `ran` tells what it was run with. */
export function noteTool() {
  const ran: string[] = [];
  const note = defineTool({
    name: 'note',
    description: 'Notes a text.',
    input: text,
    effects: ({ text: said = '' }) => [{ kind: 'write', target: `notes/${said || 'empty'}.txt` }],
    run: async ({ text: said = '' }) => {
      ran.push(said);
      return { output: `noted ${said}` };
    },
  });
  return { note, ran };
}

/** A tool that waits until it is cancelled; `state` tells how it stands. */
export function waitingTool() {
  const state = { started: false, aborted: false };
  const hang = defineTool({
    name: 'hang',
    description: 'Waits until it is cancelled.',
    input: none,
    capabilities: { readOnly: true, maxParallelism: 8 },
    effects: () => [],
    run: async (_input, { signal }) => {
      state.started = true;
      try {
        await wait(60_000, undefined, { signal });
      } finally {
        state.aborted = signal.aborted;
      }
      return { output: 'ended' };
    },
  });
  return { hang, state };
}

/** Tells of its progress in as many steps as it is asked for. */
export const steps = defineTool({
  name: 'steps',
  description: 'Tells of its progress.',
  input: {
    type: 'object',
    properties: { count: { type: 'integer', minimum: 0 } },
    required: ['count'],
    additionalProperties: false,
  } as const,
  capabilities: { readOnly: true, maxParallelism: 8 },
  effects: () => [],
  run: async ({ count }, { progress }) => {
    for (let current = 1; current <= count; current += 1) progress({ current, total: count });
    return { output: 'done' };
  },
});

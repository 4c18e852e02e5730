import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineTool } from '@toolwright/core';
import { openSession } from '../session-harness.ts';
import { fileState } from './file-state.ts';

/** Where a process is killed: in which call of `count` or `look`, before or after its effect. */
export interface KillPoint {
  readonly step: number;
  readonly phase: 'before' | 'after';
}

/** The program that is killed and gone on with: every step is counted in a file, and looked at. */
export const countingProgram = {
  source: `export default async function run(ctx, inputs) {
  const seen = [];
  for (let step = 0; step < inputs.steps; step++) {
    const counted = await ctx.tools.count({ step });
    await ctx.tools.look({ step });
    seen.push(counted.ok ? 'counted' : counted.error.reason);
  }
  return { seen, time: Date.now(), random: Math.random() };
}`,
  inputs: { steps: 4 },
  runId: 'counting',
};

/** A session on a directory: `counter` has a line an effect of `count`, `looks` a line a call of `look`. */
export async function openCountingSession(
  root: string,
  kill?: KillPoint & { readonly tool: string },
) {
  const step = {
    type: 'object',
    additionalProperties: false,
    required: ['step'],
    properties: { step: { type: 'integer', description: 'Which step.' } },
  } as const;
  const at = (tool: string, phase: KillPoint['phase'], current: number): void => {
    const here = kill?.tool === tool && kill.phase === phase && kill.step === current;
    if (here) process.kill(process.pid, 'SIGKILL');
  };
  const counting = (name: string, file: string, repeatable: boolean) =>
    defineTool({
      name,
      description: 'Writes a line.',
      input: step,
      capabilities: { readOnly: false, idempotent: repeatable },
      effects: () => [],
      run: async ({ step: current }) => {
        at(name, 'before', current);
        appendFileSync(join(root, file), `${current}\n`);
        at(name, 'after', current);
        return { output: String(current) };
      },
    });
  return openSession({
    tools: [counting('count', 'counter', false), counting('look', 'looks', true)],
    open: { state: fileState(join(root, 'state')) },
  });
}

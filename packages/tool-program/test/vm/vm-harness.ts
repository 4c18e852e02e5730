import type { JsonValue } from '@toolwright/core';
import type { VmEnd, VmJob } from '../../src/vm/messages.ts';
import type { LogLine } from '../../src/vm/shared-state.mjs';
import type { VmPool } from '../../src/vm/vm-pool.ts';

/** What a script came to, with everything that it did on the way. */
export interface ScriptReport {
  readonly end: VmEnd;
  readonly value: unknown;
  readonly lines: readonly LogLine[];
  readonly droppedLines: number;
  readonly refusedCalls: number;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
}

/** Options of {@link runScript}; every part has a default. */
export interface ScriptOptions {
  readonly inputs?: JsonValue;
  readonly answer?: (name: string, args: unknown) => Promise<JsonValue> | JsonValue;
  readonly job?: Partial<VmJob>;
  readonly maxCalls?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Runs a whole module in a VM of `pool`; tools answer what `answer` says, by default their own arguments. */
export async function runScript(
  pool: VmPool,
  source: string,
  {
    inputs = {},
    answer = (_name, args) => record(args),
    job,
    maxCalls = 100,
    timeoutMs = 20_000,
    signal,
  }: ScriptOptions = {},
): Promise<ScriptReport> {
  const lines: LogLine[] = [];
  const calls: { name: string; args: unknown }[] = [];
  const deadline = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const outcome = await pool.run(
    {
      source,
      language: 'javascript',
      fileName: 'program.js',
      settings: JSON.stringify({
        inputs,
        tools: ['echo', 'fail'],
        seed: [1, 2, 3, 4],
        maxCalls,
        maxOutputBytes: 65_536,
      }),
      maxResultBytes: 65_536,
      startMs: 1_700_000_000_000,
      steadyClock: false,
      ...job,
    },
    {
      started: () => {
        timer = setTimeout(() => deadline.abort(), timeoutMs);
      },
      lines: (more) => lines.push(...more),
      calls: (made, respond) => {
        for (const call of made) {
          const args = call.tooDeep ? 'too deep' : call.args;
          calls.push({ name: call.name, args });
          void Promise.resolve(answer(call.name, args)).then((value) =>
            respond([{ id: call.id, json: JSON.stringify(value), nowMs: 1_700_000_000_000 }]),
          );
        }
      },
    },
    signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]),
  );
  clearTimeout(timer);
  const { end, droppedLines, refusedCalls } = outcome;
  const value: unknown = end.type === 'success' ? JSON.parse(end.json) : undefined;
  return { end, value, lines, droppedLines, refusedCalls, calls };
}

/** `body` as the body of a program's entry. */
export function program(body: string): string {
  return `export default async function run(ctx, inputs) {\n${body}\n}\n`;
}

function record(args: unknown): JsonValue {
  // The harness sends back what came as JSON.
  const value = args as JsonValue;
  return {
    name: 'echo',
    ok: true,
    output: JSON.stringify(value),
    text: '',
    exitCode: 0,
    error: null,
    metadata: {},
    structured: value,
    trust: 'workspace_data',
  };
}

import {
  isJsonObject,
  ToolError,
  type JsonValue,
  type ToolContextBase,
  type ToolOutput,
} from '@toolwright/core';
import { DurableRun } from '../durable/durable-run.ts';
import type { RunRegistry } from '../durable/run-registry.ts';
import type { VmJob } from '../vm/messages.ts';
import type { LogLine } from '../vm/shared-state.mjs';
import type { VmPool } from '../vm/vm-pool.ts';
import type { VmOutcome } from '../vm/vm-worker.ts';
import { AllowedTools } from './allowed-tools.ts';
import type { CallConductor } from './call-conductor.ts';
import { CatalogQueries } from './catalog-queries.ts';
import { toFailedEnd } from './end-error.ts';
import { LiveCalls } from './live-calls.ts';
import { NestedCalls } from './nested-calls.ts';
import type { OfferedTools } from './offered-tools.ts';
import { ProgramClock } from './program-clock.ts';
import { toFailure, toSuccess, type ProgramFacts } from './program-report.ts';
import type { ProgramRequest } from './program-request.ts';
import { createSeed } from './random-seed.ts';

/** UTF-8 bytes of the value that a program returns, as JSON. */
const maxResultBytes = 1_048_576;
/** Milliseconds for the script and the calls of a cancelled program to end; the kernel gives a cancelled tool 100. */
const cancelGraceMs = 60;
/** UTF-16 units of a line in an event. */
const maxEventUnits = 2_048;

/** What programs of one session share. */
export interface ProgramServices {
  readonly pool: VmPool;
  readonly runs: RunRegistry;
  readonly offered: OfferedTools;
}

/** Runs a program to its end. Errors: every other outcome than a value, with the records of the calls made. */
export async function runProgram(
  request: ProgramRequest,
  context: ToolContextBase,
  { pool, runs, offered }: ProgramServices,
): Promise<ToolOutput> {
  const allowed = new AllowedTools(context.catalog, offered, request.allowedTools);
  const durable =
    request.runId === undefined
      ? undefined
      : await DurableRun.open(request.runId, { request, context, runs, tools: allowed.names() });
  try {
    const run = new ProgramRun({ request, context, pool, allowed, durable });
    return await run.run();
  } finally {
    durable?.release();
  }
}

interface ProgramParts {
  readonly request: ProgramRequest;
  readonly context: ToolContextBase;
  readonly pool: VmPool;
  readonly allowed: AllowedTools;
  readonly durable: DurableRun | undefined;
}

/** One program under way: its script, its clock, its calls. */
class ProgramRun {
  readonly #parts: ProgramParts;
  readonly #stop = new AbortController();
  readonly #clock: ProgramClock;
  readonly #conductor: CallConductor;
  readonly #lines: LogLine[] = [];
  /** Settles when a cancelled program has to tell what became of it, whoever has not ended yet. */
  readonly #graceOver: Promise<void>;
  #endGrace: () => void = () => {};
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(parts: ProgramParts) {
    this.#parts = parts;
    this.#graceOver = new Promise((resolve) => {
      this.#endGrace = resolve;
    });
    const { request, context, pool, allowed, durable } = parts;
    const limitMs = Math.min(request.timeoutMs, context.limits.deadlineMs);
    this.#clock = new ProgramClock(limitMs, {
      near: () => pool.prepare(),
      expired: () => this.#stop.abort(timedOut(limitMs)),
    });
    const calls = new NestedCalls({
      context,
      allowed,
      catalog: new CatalogQueries(context.catalog, allowed.names()),
      clock: this.#clock,
      maxOutputBytes: request.maxOutputBytes,
      signal: this.#stop.signal,
    });
    this.#conductor =
      durable === undefined
        ? new LiveCalls(calls, context.now)
        : durable.conduct(calls, this.#stop);
  }

  async run(): Promise<ToolOutput> {
    const { context, pool, durable } = this.#parts;
    const { signal } = context;
    const cancel = (): void => {
      this.#stop.abort(signal.reason);
      this.#graceTimer = setTimeout(this.#endGrace, cancelGraceMs);
    };
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      const { end, droppedLines, refusedCalls } = await Promise.race([
        pool.run(this.#toJob(), this.#events(), this.#stop.signal),
        this.#graceOver.then(() => stoppedScript),
      ]);
      const diverged = durable?.endedTooSoon(end);
      if (diverged !== undefined) this.#stop.abort(diverged);
      const stopReason: unknown = this.#stop.signal.reason;
      // A script that came to its end has waited for all its calls; otherwise those under way are cancelled.
      if (end.type !== 'success') {
        this.#stop.abort(new ToolError('cancelled', 'The program has ended.'));
        await Promise.race([this.#conductor.idle(), this.#graceOver]);
      }
      const facts = this.#facts({ droppedLines, refusedCalls });
      if (end.type === 'success' && diverged === undefined) {
        await durable?.ended();
        // It was written by JSON.stringify in the VM.
        return toSuccess(JSON.parse(end.json) as JsonValue, facts);
      }
      const failed = toFailedEnd(end.type === 'success' ? { type: 'stopped' } : end, {
        stopReason,
        external: facts.external,
        limits: { memoryBytes: pool.memoryBytes, maxResultBytes },
      });
      if (failed.outcome === 'script_error') await durable?.ended();
      throw toFailure(failed.error, failed.outcome, facts);
    } finally {
      this.#clock.end();
      clearTimeout(this.#graceTimer);
      signal.removeEventListener('abort', cancel);
    }
  }

  #toJob(): VmJob {
    const { request, context, allowed, durable } = this.#parts;
    const start = durable?.start;
    return {
      source: request.source.text,
      language: request.source.language,
      fileName: request.source.fileName,
      settings: JSON.stringify({
        inputs: request.inputs,
        tools: start?.tools ?? allowed.names(),
        seed: start?.seed ?? createSeed(context.random),
        maxCalls: request.maxToolCalls,
        maxOutputBytes: request.maxOutputBytes,
      }),
      maxResultBytes,
      startMs: start?.start_ms ?? context.now(),
      steadyClock: durable !== undefined,
    };
  }

  #events(): Parameters<VmPool['run']>[1] {
    return {
      started: () => this.#clock.start(),
      calls: (calls, answer) => {
        let isAnswered = false;
        this.#conductor.handle(calls, (answers) => {
          // A stopped script hears no more: it would go on with the records of cancelled calls.
          if (this.#stop.signal.aborted) return;
          isAnswered = true;
          this.#clock.script('runs');
          answer(answers);
        });
        // Now, not before: most calls have begun by here, and the clock does not have to be read for them.
        if (!isAnswered) this.#clock.script('waits');
      },
      lines: (lines) => {
        for (const line of lines) {
          this.#lines.push(line);
          this.#tell(line);
        }
      },
    };
  }

  #tell({ level, text }: LogLine): void {
    const { context } = this.#parts;
    if (level === 'progress') context.progress(toProgress(text));
    else
      context.progress({
        message: text.slice(0, maxEventUnits),
        data: { source: 'console', level },
      });
  }

  #facts({
    droppedLines,
    refusedCalls,
  }: {
    droppedLines: number;
    refusedCalls: number;
  }): ProgramFacts {
    const { request, durable } = this.#parts;
    return {
      language: request.source.language,
      calls: this.#conductor.summaries(),
      refusedCalls,
      lines: this.#lines,
      droppedLines,
      external: this.#conductor.external,
      maxOutputBytes: request.maxOutputBytes,
      ...(durable === undefined ? {} : { replayedCalls: durable.replayedCalls }),
    };
  }
}

/** What is said of a script whose thread is still being ended. */
const stoppedScript: VmOutcome = { end: { type: 'stopped' }, droppedLines: 0, refusedCalls: 0 };

function timedOut(limitMs: number): ToolError {
  return new ToolError(
    'timeout',
    `The program did not end within ${limitMs} ms; do less in it, or give it more time with limits.timeoutMs.`,
    { fields: { op: 'program', duration_ms: limitMs } },
  );
}

/** What a script passed to `ctx.progress`, as far as it is progress. */
function toProgress(json: string): Parameters<ToolContextBase['progress']>[0] {
  let step: JsonValue = null;
  try {
    // Written by our guest code; a line that was cut at the cap is no JSON any more.
    step = JSON.parse(json) as JsonValue;
  } catch {
    return {};
  }
  if (!isJsonObject(step)) return {};
  const { message, current, total, data } = step;
  return {
    ...(typeof message === 'string' ? { message: message.slice(0, maxEventUnits) } : {}),
    ...(typeof current === 'number' ? { current } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    ...(data !== undefined && isJsonObject(data) && json.length <= maxEventUnits ? { data } : {}),
  };
}

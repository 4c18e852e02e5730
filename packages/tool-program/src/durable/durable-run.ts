import {
  canonicalJson,
  sha256Hex,
  ToolError,
  type StateStore,
  type ToolContextBase,
} from '@toolwright/core';
import type { NestedCalls } from '../run/nested-calls.ts';
import type { ProgramRequest } from '../run/program-request.ts';
import { createSeed } from '../run/random-seed.ts';
import { DurableCalls, divergence } from './durable-calls.ts';
import { ProgramLog, programLogVersion, type LogEntry, type LogStart } from './program-log.ts';
import type { RunRegistry } from './run-registry.ts';

/** What a durable run is opened with. */
export interface DurableRunOptions {
  readonly request: ProgramRequest;
  readonly context: Pick<ToolContextBase, 'state' | 'now' | 'random'>;
  readonly runs: RunRegistry;
  /** The names that the script sees, when it starts for the first time. */
  readonly tools: readonly string[];
}

/** A program with a log: what it saw before, it sees again, until it is past the end of the log. */
export class DurableRun {
  /** What is fixed since the run's first start. */
  readonly start: LogStart;
  readonly #log: ProgramLog;
  readonly #entries: readonly LogEntry[];
  readonly #state: StateStore;
  readonly #options: DurableRunOptions;
  readonly #release: () => void;
  #calls: DurableCalls | undefined;

  private constructor(
    opened: { start: LogStart; log: ProgramLog; entries: readonly LogEntry[] },
    options: DurableRunOptions,
    held: { readonly state: StateStore; readonly release: () => void },
  ) {
    this.start = opened.start;
    this.#log = opened.log;
    this.#entries = opened.entries;
    this.#options = options;
    this.#state = held.state;
    this.#release = held.release;
  }

  /**
   * Begins a run, or goes on with it. Errors: `unsupported` with `no_state`, where the host keeps no state;
   * `version_conflict` with `run_in_progress`, or with `divergence` when another program has begun under this id;
   * `internal` with `log_damaged`.
   */
  static async open(runId: string, options: DurableRunOptions): Promise<DurableRun> {
    const { state } = options.context;
    if (state === undefined) {
      throw new ToolError(
        'unsupported',
        'This host keeps no state, so that no run can be gone on with; leave run_id out.',
        { reason: 'no_state' },
      );
    }
    const { key, release } = options.runs.claim(runId);
    try {
      const { log, entries } = await ProgramLog.open(state, key);
      const [first, ...rest] = entries;
      const start = first?.type === 'start' ? first : newStart(runId, options);
      if (first === undefined) {
        await options.runs.makeRoom(state);
        await log.append(start);
      } else {
        assertSameProgram(start, options.request);
      }
      return new DurableRun({ start, log, entries: rest }, options, { state, release });
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Calls that were answered from the log. */
  get replayedCalls(): number {
    return this.#calls?.replayedCalls ?? 0;
  }

  /** Who sees to the script's calls; aborting `stop` ends the program. */
  conduct(calls: NestedCalls, stop: AbortController): DurableCalls {
    this.#calls = new DurableCalls({
      calls,
      log: this.#log,
      entries: this.#entries,
      now: this.#options.context.now,
      signal: stop.signal,
      fail: (error) => stop.abort(error),
    });
    return this.#calls;
  }

  /** The divergence of a script that ended before it had got all the answers that its log holds. */
  endedTooSoon(end: { readonly type: string }): ToolError | undefined {
    const byItself = end.type === 'success' || end.type === 'script_error';
    return byItself && this.#calls?.isReplaying === true
      ? divergence(this.replayedCalls, this.#calls.awaitedTool, null)
      : undefined;
  }

  /** The program has come to a value or an error of its own: a replay will come to the same. */
  async ended(): Promise<void> {
    const { runs, context } = this.#options;
    await runs.ended(this.#state, this.start.run_id, context.now());
  }

  /** Lets others take the run. */
  release(): void {
    this.#release();
  }
}

function newStart(runId: string, { request, context, tools }: DurableRunOptions): LogStart {
  return {
    type: 'start',
    version: programLogVersion,
    run_id: runId,
    ...identityOf(request),
    tools,
    seed: createSeed(context.random),
    start_ms: context.now(),
  };
}

function identityOf({ source, inputs, allowedTools }: ProgramRequest) {
  return {
    source: digest(`${source.language}\n${source.text}`),
    inputs: digest(canonicalJson(inputs)),
    allowed: digest(canonicalJson([...(allowedTools ?? ['*'])].sort())),
  };
}

function assertSameProgram(start: LogStart, request: ProgramRequest): void {
  const now = identityOf(request);
  const changed = [
    ...(start.version === programLogVersion ? [] : ['the version of this package']),
    ...(start.source === now.source ? [] : ['its source']),
    ...(start.inputs === now.inputs ? [] : ['its inputs']),
    ...(start.allowed === now.allowed ? [] : ['its allowed_tools']),
  ];
  if (changed.length === 0) return;
  throw new ToolError(
    'version_conflict',
    `The run ${JSON.stringify(start.run_id)} was begun with other things: ${changed.join(', ')}. Choose another run_id, or go on with exactly the same program.`,
    { reason: 'divergence', fields: { changed } },
  );
}

function digest(text: string): string {
  return sha256Hex(new TextEncoder().encode(text));
}

import { sha256Hex, ToolError, type JsonValue } from '@toolwright/core';
import type { CallConductor, Respond } from '../run/call-conductor.ts';
import { CallLedger } from '../run/call-ledger.ts';
import { toFailedRecord, type CallRecord } from '../run/call-record.ts';
import type { NestedCalls } from '../run/nested-calls.ts';
import type { VmAnswer, VmCall } from '../vm/messages.ts';
import {
  logDamaged,
  type LogAnswer,
  type LogCall,
  type LogEntry,
  type LogRun,
  type ProgramLog,
} from './program-log.ts';

/** What {@link DurableCalls} is made with. */
export interface DurableCallsOptions {
  readonly calls: NestedCalls;
  readonly log: ProgramLog;
  /** What the log held when the run began, without its first entry. */
  readonly entries: readonly LogEntry[];
  readonly now: () => number;
  /** Aborted when the program is stopped. */
  readonly signal: AbortSignal;
  /** Ends the program: the replay has diverged, or the log cannot be written. */
  readonly fail: (error: unknown) => void;
}

/**
 * Answers the calls of a durable program from its log as far as that goes, in its order, and performs and logs the
 * rest. A call that had begun and has no answer is performed again only when that changes nothing more.
 */
export class DurableCalls implements CallConductor {
  readonly #options: DurableCallsOptions;
  readonly #ledger = new CallLedger();
  readonly #underWay = new Set<Promise<void>>();
  readonly #loggedCalls = new Map<number, LogCall>();
  readonly #loggedRuns = new Map<number, LogRun>();
  readonly #loggedAnswers: LogAnswer[] = [];
  /** How many of the logged answers the script has got. */
  #replayed = 0;
  /** Calls of the script that have no answer yet, and are not under way. */
  readonly #held = new Map<number, VmCall>();

  constructor(options: DurableCallsOptions) {
    this.#options = options;
    for (const entry of options.entries) {
      if (entry.type === 'call') this.#loggedCalls.set(entry.id, entry);
      if (entry.type === 'run') this.#loggedRuns.set(entry.id, entry);
      if (entry.type === 'answer') this.#loggedAnswers.push(entry);
    }
  }

  get external(): boolean {
    return this.#ledger.external;
  }

  /** Calls that were answered from the log. */
  get replayedCalls(): number {
    return this.#replayed;
  }

  /** The tool of the next answer that the log has for the script. */
  get awaitedTool(): string | null {
    const id = this.#loggedAnswers[this.#replayed]?.id ?? -1;
    return this.#loggedCalls.get(id)?.name ?? null;
  }

  /** Whether the log has answers that the script has not asked for. */
  get isReplaying(): boolean {
    return this.#replayed < this.#loggedAnswers.length;
  }

  summaries(): ReturnType<CallConductor['summaries']> {
    return this.#ledger.summaries();
  }

  handle(calls: readonly VmCall[], respond: Respond): void {
    try {
      for (const call of calls) {
        this.#assertAsLogged(call);
        this.#ledger.made(call);
        this.#held.set(call.id, call);
      }
      if (this.isReplaying) this.#replay(respond);
      else this.#goLive(respond);
    } catch (error) {
      this.#options.fail(toStateError(error));
    }
  }

  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** The next logged answers whose calls the script has made. Errors: divergence, when it has not made the next one. */
  #replay(respond: Respond): void {
    const answers: VmAnswer[] = [];
    for (;;) {
      const logged = this.#loggedAnswers[this.#replayed];
      const call = logged === undefined ? undefined : this.#held.get(logged.id);
      if (logged === undefined || call === undefined) break;
      this.#held.delete(logged.id);
      this.#replayed += 1;
      this.#ledger.answered(call, toAnswer(logged, this.#options.entries));
      answers.push({ id: logged.id, json: logged.json, nowMs: logged.now_ms });
    }
    if (answers.length > 0) {
      respond(answers);
      return;
    }
    throw divergence(this.#loggedAnswers[this.#replayed]?.id ?? 0, this.awaitedTool, null);
  }

  #goLive(respond: Respond): void {
    const calls = [...this.#held.values()];
    this.#held.clear();
    if (calls.length === 0) return;
    const fresh = calls.filter(({ id }) => !this.#loggedCalls.has(id));
    const logged =
      fresh.length === 0 ? Promise.resolve() : this.#options.log.append(...fresh.map(toLogCall));
    for (const call of calls) {
      const done: Promise<void> = logged
        .then(() => this.#perform(call, respond))
        .catch((error: unknown) => this.#options.fail(toStateError(error)))
        .finally(() => this.#underWay.delete(done));
      this.#underWay.add(done);
    }
  }

  async #perform(call: VmCall, respond: Respond): Promise<void> {
    const { calls, log, now, signal } = this.#options;
    const begun = this.#loggedRuns.get(call.id);
    const answer: JsonValue | CallRecord =
      begun !== undefined && !begun.repeatable
        ? toUncertain(call.name)
        : await calls.perform(call, ({ capabilities: { readOnly, idempotent } }) =>
            log.append({ type: 'run', id: call.id, repeatable: readOnly || idempotent }),
          );
    // What became of a call because the program was stopped is nothing that the script got: it is made again.
    if (signal.aborted && isCancelled(answer)) {
      this.#ledger.answered(call, answer);
      return;
    }
    const json = JSON.stringify(answer);
    const nowMs = now();
    await log.append({ type: 'answer', id: call.id, now_ms: nowMs, json });
    this.#ledger.answered(call, answer);
    respond([{ id: call.id, json, nowMs }]);
  }

  #assertAsLogged(call: VmCall): void {
    const logged = this.#loggedCalls.get(call.id);
    if (logged === undefined) return;
    const made = toLogCall(call);
    if (logged.kind !== made.kind || logged.name !== made.name || logged.args !== made.args) {
      throw divergence(call.id, logged.name, call.name);
    }
  }
}

/** The script did not do what it did before. */
export function divergence(
  step: number,
  expected: string | null,
  actual: string | null,
): ToolError {
  const was = expected === null ? 'made no call' : `called ${expected}`;
  const is =
    actual === null
      ? 'makes none'
      : expected === actual
        ? 'passes other arguments'
        : `calls ${actual}`;
  return new ToolError(
    'version_conflict',
    `The program does not do what its log says: at step ${step} it ${was}, and now it ${is}. Start it under another run_id.`,
    { reason: 'divergence', fields: { step, expected, actual } },
  );
}

/** What was sent to the script. Errors: `internal` with `log_damaged`. */
function toAnswer(logged: LogAnswer, entries: readonly LogEntry[]): JsonValue {
  try {
    // It was written by JSON.stringify.
    return JSON.parse(logged.json) as JsonValue;
  } catch {
    // The line before the first of these entries is the start.
    throw logDamaged(entries.indexOf(logged) + 2);
  }
}

function isCancelled(answer: JsonValue | CallRecord): boolean {
  const error =
    typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : null;
  const type =
    typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  return type === 'cancelled' || type === 'timeout' || type === 'session_closed';
}

function toStateError(error: unknown): ToolError {
  if (ToolError.isInstance(error)) return error;
  return new ToolError(
    'internal',
    'The log of the run could not be written, so that the program was stopped.',
    {
      reason: 'state_failed',
      cause: error,
    },
  );
}

function toLogCall({ id, kind, name, args }: VmCall): LogCall {
  return {
    type: 'call',
    id,
    kind,
    name,
    args: sha256Hex(new TextEncoder().encode(JSON.stringify(args))),
  };
}

function toUncertain(name: string): CallRecord {
  return toFailedRecord(name, {
    type: 'transport',
    reason: 'uncertain_outcome',
    stage: 'run',
    message: `${name} had begun when the program was stopped: it may have had its effect or not, and is not repeated. Look before you go on.`,
    retryable: false,
  });
}

import { isJsonObject, ToolError, type JsonValue, type StateStore } from '@toolwright/core';

/** Grows when our own code in the VM changes in a way that a replay could see. */
export const programLogVersion = 2;
/** Bytes of one log. */
const maxLogBytes = 64 * 1024 * 1024;

/** What is fixed when a durable program starts for the first time. */
export interface LogStart {
  readonly type: 'start';
  readonly version: number;
  readonly run_id: string;
  /** SHA-256 of what must be the same when the run goes on. */
  readonly source: string;
  readonly inputs: string;
  readonly allowed: string;
  /** What the script sees of its surroundings. */
  readonly tools: readonly string[];
  readonly seed: readonly number[];
  readonly start_ms: number;
}

/** A call was made; the digest is of its arguments as JSON. */
export interface LogCall {
  readonly type: 'call';
  readonly id: number;
  readonly kind: 'tool' | 'catalog';
  readonly name: string;
  readonly args: string;
}

/** A call began to run: from here on it may have had its effect. */
export interface LogRun {
  readonly type: 'run';
  readonly id: number;
  /** Whether running it again would change nothing more. */
  readonly repeatable: boolean;
}

/** What the script got, in the order in which it got it. */
export interface LogAnswer {
  readonly type: 'answer';
  readonly id: number;
  readonly now_ms: number;
  readonly json: string;
}

/** One line of a log. */
export type LogEntry = LogStart | LogCall | LogRun | LogAnswer;

/**
 * The log of one durable program: lines of JSON, each durable before what it tells of is acted on. Entries that are
 * appended while others are on their way go together.
 */
export class ProgramLog {
  readonly #state: StateStore;
  readonly #key: string;
  #bytes: number;
  #pending: string[] = [];
  /** The write that has not begun: whoever appends joins it. */
  #next: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(state: StateStore, key: string, bytes: number) {
    this.#state = state;
    this.#key = key;
    this.#bytes = bytes;
  }

  /**
   * Opens the log under `key`, with what it holds. A line that was cut off by a crash was never acted on: it goes. Errors:
   * `internal` with `log_damaged`, for lines that are none of this class: what was done before can then not be told.
   */
  static async open(
    state: StateStore,
    key: string,
  ): Promise<{ readonly log: ProgramLog; readonly entries: readonly LogEntry[] }> {
    const bytes = await state.read(key);
    if (bytes === undefined) return { log: new ProgramLog(state, key, 0), entries: [] };
    const end = bytes.lastIndexOf(0x0a) + 1;
    const whole = bytes.subarray(0, end);
    if (end < bytes.length) await state.write(key, whole);
    const lines = new TextDecoder().decode(whole).split('\n').slice(0, -1);
    return { log: new ProgramLog(state, key, end), entries: lines.map(toEntry) };
  }

  /** Durable when it settles; settles in the order of the calls. Errors: `limit_exceeded` with `log_full`. */
  append(...entries: readonly LogEntry[]): Promise<void> {
    const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > maxLogBytes) return Promise.reject(logFull());
    this.#pending.push(text);
    if (this.#next === undefined) {
      const next = this.#last.then(() => {
        this.#next = undefined;
        const batch = this.#pending.join('');
        this.#pending = [];
        return this.#state.append(this.#key, Buffer.from(batch));
      });
      this.#next = next;
      this.#last = next.catch(() => undefined);
    }
    return this.#next;
  }
}

/** The entry of a line: the first says how the run began, no other does. */
function toEntry(line: string, index: number): LogEntry {
  let entry: JsonValue = null;
  try {
    // JSON.parse gives JSON values.
    entry = JSON.parse(line) as JsonValue;
  } catch {
    // Told below, with all else that is no entry.
  }
  const type = isJsonObject(entry) ? entry['type'] : undefined;
  const isExpected = index === 0 ? type === 'start' : typeof type === 'string' && later.has(type);
  if (!isExpected) throw logDamaged(index + 1);
  // Only this class writes lines of these types.
  return entry as unknown as LogEntry;
}

const later: ReadonlySet<string> = new Set(['call', 'run', 'answer'] satisfies LogEntry['type'][]);

/** What a log says cannot be read; nothing is done again on its account. */
export function logDamaged(line: number): ToolError {
  return new ToolError(
    'internal',
    `The log of this run is damaged (line ${line}), so that nobody can tell what it has done already. Look, and start the program under another run_id.`,
    { reason: 'log_damaged', fields: { log_line: line } },
  );
}

function logFull(): ToolError {
  return new ToolError(
    'limit_exceeded',
    `The log of this run has reached ${maxLogBytes} bytes; split the program into several runs.`,
    { reason: 'log_full' },
  );
}

import type { JsonValue } from '@toolwright/core';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Engine } from './engine.ts';
import { isTooDeep, isTooDeepValue } from './json-depth.mjs';
import { createMailbox, HostMailbox } from './mailbox.mjs';
import type {
  FromWorker,
  ToWorker,
  VmAnswer,
  VmCall,
  VmEnd,
  VmEnded,
  VmJob,
  WorkerSettings,
} from './messages.ts';
import {
  createSharedState,
  hasLogLines,
  readLogLines,
  requestStop,
  resetSharedState,
  type LogLine,
} from './shared-state.mjs';

/** Milliseconds that a stopped guest has to leave by itself before its thread is ended. */
const stopGraceMs = 10;
/** Bytes of VM memory above which a thread is not used again. */
const retireBytes = 8 * 1024 * 1024;
/** UTF-16 units of a script and its settings that are made text once more, instead of being copied. */
const maxMailedUnits = 65_536;
/** Bytes of lines that a program keeps. */
const maxLogBytes = 65_536;
/** V8's own limits for a worker: our code, and copies of what a guest sends. The guest's memory is not counted here. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 8 };

/** What a caller of {@link VmWorker.run} hears while a script runs. */
export interface VmEvents {
  /** The thread is warm and begins with the script; from here on its time is the script's own. */
  started(): void;
  /** The script waits, after it has made `calls` (perhaps none); `answer` takes their answers, in any order, and does nothing once it has ended. */
  calls(calls: readonly VmCall[], answer: (answers: readonly VmAnswer[]) => void): void;
  lines(lines: readonly LogLine[]): void;
}

/** How a script ended. */
export interface VmOutcome {
  readonly end: VmEnd;
  /** Lines that were not kept. */
  readonly droppedLines: number;
  /** Calls beyond the limit. */
  readonly refusedCalls: number;
}

interface Running {
  /** Calls that the script has made so far. */
  calls: number;
  readonly events: VmEvents;
  readonly settle: (outcome: VmOutcome) => void;
}

/** One thread with one warm VM: runs one script at a time, and can be ended whatever the guest does. */
export class VmWorker {
  readonly #shared = createSharedState(maxLogBytes);
  readonly #mailbox: HostMailbox;
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  /** Settles when the thread has its first VM; never, when it dies before. */
  readonly #ready: Promise<void>;
  #becameReady: () => void = () => {};
  #running: Running | undefined;
  #readLog = 0;
  #stopTimer: NodeJS.Timeout | undefined;
  /** Whether it can take another script. */
  usable = true;

  constructor({
    engine,
    memoryBytes,
  }: {
    readonly engine: Promise<Engine>;
    readonly memoryBytes: number;
  }) {
    const mailbox = createMailbox();
    const isPatient = availableParallelism() > 1;
    this.#mailbox = new HostMailbox(mailbox, {
      look: () => {
        this.#look();
        return this.#running !== undefined;
      },
      isPatient,
    });
    const settings: WorkerSettings = {
      memoryBytes,
      shared: this.#shared,
      mailbox,
      isPatient,
      retireBytes,
    };
    this.#worker = new Worker(new URL('./worker.mjs', import.meta.url), {
      workerData: settings,
      resourceLimits,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    this.#worker.unref();
    engine.then(
      (loaded) => this.#post({ type: 'engine', engine: loaded }),
      (error: unknown) => {
        this.#fail({ type: 'fault', message: String(error) });
        void this.close();
      },
    );
    this.#ready = new Promise((resolve) => {
      this.#becameReady = resolve;
    });
    this.#worker.on('message', (message: FromWorker) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(toEnd(error)));
    this.#exited = once(this.#worker, 'exit').then(
      () => this.#fail({ type: 'stopped' }),
      () => this.#fail({ type: 'stopped' }),
    );
  }

  /** A script will soon be run. */
  expect(): void {
    this.#mailbox.announceJob();
  }

  /** Runs a script; settles when it has ended, by whatever means, and never rejects. */
  run(job: VmJob, events: VmEvents): Promise<VmOutcome> {
    if (!this.usable) return Promise.resolve(threadGone);
    resetSharedState(this.#shared);
    this.#mailbox.clear();
    this.#readLog = 0;
    this.#worker.ref();
    return new Promise((settle) => {
      const running = { calls: 0, events, settle };
      this.#running = running;
      void this.#begin(job, running);
    });
  }

  async #begin(job: VmJob, running: Running): Promise<void> {
    await this.#ready;
    if (this.#running !== running) return;
    running.events.started();
    const isLarge = job.source.length + job.settings.length > maxMailedUnits;
    if (isLarge || !this.#mailbox.putJob(JSON.stringify(job))) this.#post({ type: 'run', job });
  }

  /** Ends the running script: at once where it waits or runs its own code, by ending the thread otherwise. */
  stop(): void {
    if (this.#running === undefined || this.#stopTimer !== undefined) return;
    requestStop(this.#shared);
    this.#post({ type: 'stop' });
    this.#stopTimer = setTimeout(() => void this.close(), stopGraceMs);
  }

  /** Ends the thread and all that it holds; idempotent. */
  async close(): Promise<void> {
    this.usable = false;
    clearTimeout(this.#stopTimer);
    this.#mailbox.close();
    await this.#worker.terminate();
    await this.#exited;
  }

  #look(): void {
    this.#readLines();
    for (const json of this.#mailbox.takeTold()) {
      // Written by our worker: a list of calls, or how the script ended.
      if (json.startsWith('[')) this.#tellCalls(json);
      else this.#end(JSON.parse(json) as VmEnded);
    }
  }

  #end(ended: VmEnded): void {
    if (ended.retire) this.usable = false;
    this.#settle(ended);
    if (ended.retire) void this.close();
  }

  /** Calls are numbered as the guest numbers them: in the order in which they were made. */
  #tellCalls(json: string): void {
    const running = this.#running;
    if (running === undefined) return;
    // Written by our guest code.
    const made = JSON.parse(json) as [VmCall['kind'], string, JsonValue][];
    // The list and the call are two levels around the arguments.
    const someTooDeep = isTooDeep(json, 2);
    const calls = made.map(([kind, name, args], index): VmCall => {
      const tooDeep = someTooDeep && isTooDeepValue(args);
      return { id: running.calls + index, kind, name, args: tooDeep ? null : args, tooDeep };
    });
    running.calls += calls.length;
    running.events.calls(calls, this.#answererOf(running));
  }

  #answererOf(running: Running): (answers: readonly VmAnswer[]) => void {
    return (answers) => {
      if (this.#running !== running || this.#mailbox.putAnswers(answers)) return;
      this.#post({ type: 'answers', answers });
    };
  }

  #post(message: ToWorker): void {
    this.#mailbox.announceMessage();
    this.#worker.postMessage(message, []);
  }

  #receive(message: FromWorker): void {
    if (message.type === 'ready') {
      this.#becameReady();
      return;
    }
    // What was told before it.
    this.#look();
    this.#mailbox.messageReceived();
    if (message.type === 'calls') this.#tellCalls(message.calls);
    else this.#end(message);
  }

  #fail(end: VmEnd): void {
    this.usable = false;
    this.#settle({ end, droppedLines: 0, refusedCalls: 0 });
  }

  #settle(outcome: VmOutcome): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#readLines();
    this.#running = undefined;
    clearTimeout(this.#stopTimer);
    this.#stopTimer = undefined;
    this.#worker.unref();
    const { end, droppedLines, refusedCalls } = outcome;
    running.settle({ end, droppedLines, refusedCalls });
  }

  #readLines(): void {
    if (!hasLogLines(this.#shared, this.#readLog)) return;
    const { lines, next } = readLogLines(this.#shared, this.#readLog);
    this.#readLog = next;
    if (lines.length > 0) this.#running?.events.lines(lines);
  }
}

const threadGone: VmOutcome = {
  end: { type: 'fault', message: 'The thread has ended.' },
  droppedLines: 0,
  refusedCalls: 0,
};

function toEnd(error: Error): VmEnd {
  const code = 'code' in error ? error.code : undefined;
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? { type: 'out_of_memory' }
    : { type: 'fault', message: error.message };
}

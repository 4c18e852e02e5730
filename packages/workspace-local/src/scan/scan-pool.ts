import { availableParallelism } from 'node:os';
import { ScanControl, type ScanItem, type ScanJob } from './scan-job.ts';
import { ScanThread, type ItemResults } from './scan-thread.ts';
import type { WorkerRequest } from './scan-worker.ts';

const maxThreads = 8;
/** Milliseconds that threads have after the deadline to hand over what they have; then they are ended. */
const graceMs = 250;
/** The same after a cancellation. */
const cancelGraceMs = 50;

/**
 * Threads that scan pieces of a tree, warm between searches. They take items one by one, so that none waits for
 * another. Where threads cannot be started, `run` returns undefined and the caller scans by itself.
 */
export class ScanPool {
  #threads: ScanThread[] = [];
  #isUsable = true;
  #lastId = 0;
  /** One scan at a time: two would only share the same cores. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Scans all items, or what could be done until the deadline. Throws what `signal` was aborted with. */
  async run(
    job: ScanJob,
    items: readonly ScanItem[],
    signal: AbortSignal | undefined,
  ): Promise<ItemResults | undefined> {
    const result = this.#turn.then(() => this.#scan(job, items, signal));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    this.#isUsable = false;
    const threads = this.#threads;
    this.#threads = [];
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  async #scan(
    job: ScanJob,
    items: readonly ScanItem[],
    signal: AbortSignal | undefined,
  ): Promise<ItemResults | undefined> {
    signal?.throwIfAborted();
    if (!(await this.#start())) return undefined;
    const control = new ScanControl({ items: items.length });
    this.#lastId += 1;
    const request: WorkerRequest = { id: this.#lastId, job, items, control: control.shared };
    const results: ItemResults = new Map();
    const watch = watchScan({ control, deadlineAt: job.deadlineAt, signal });
    try {
      const parts = this.#threads.map((thread) => thread.takePart(request, results));
      await Promise.race([Promise.all(parts), watch.expired]);
    } finally {
      control.stop();
      watch.stop();
      await this.#dropUnfit();
    }
    signal?.throwIfAborted();
    return results;
  }

  /** Ends threads that do not come back from where they are. */
  async #dropUnfit(): Promise<void> {
    const unfit = this.#threads.filter((thread) => thread.isBusy || !thread.isAlive);
    this.#threads = this.#threads.filter((thread) => !unfit.includes(thread));
    await Promise.all(unfit.map((thread) => thread.terminate()));
  }

  async #start(): Promise<boolean> {
    const wanted = Math.min(Math.max(availableParallelism(), 1), maxThreads);
    const missing = this.#isUsable ? wanted - this.#threads.length : 0;
    const started = await Promise.all(Array.from({ length: missing }, () => ScanThread.start()));
    this.#threads.push(...started.filter((thread) => thread !== undefined));
    if (this.#threads.length === 0) this.#isUsable = false;
    return this.#isUsable;
  }
}

/** Tells threads to stop when a scan is cancelled; `expired` settles when they have had their time. */
function watchScan(options: {
  readonly control: ScanControl;
  readonly deadlineAt: number;
  readonly signal: AbortSignal | undefined;
}): { readonly expired: Promise<void>; stop(): void } {
  const { control, deadlineAt, signal } = options;
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(deadlineAt - Date.now(), 0) + graceMs);
    onAbort = () => {
      control.stop();
      clearTimeout(timer);
      timer = setTimeout(resolve, cancelGraceMs);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  return {
    expired,
    stop: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

import { Turnstile } from '../run/turnstile.ts';
import { loadEngine, type Engine } from './engine.ts';
import type { VmJob } from './messages.ts';
import { VmWorker, type VmEvents, type VmOutcome } from './vm-worker.ts';

/** Bytes that a script may allocate, when nothing else is said. */
export const defaultMemoryBytes = 64 * 1024 * 1024;
/** Bytes above that limit which the engine may take for itself. */
const memoryHeadroomBytes = 4 * 1024 * 1024;
/** Scripts that run at once; further ones wait for their turn. */
const defaultMaxWorkers = 8;
/** Workers that stay warm when nothing runs: one, and another where scripts ran side by side or into their deadline. */
const maxIdleWorkers = 2;

/** What a pool is made with. */
export interface VmPoolOptions {
  /** Bytes that a script may allocate. Default 64 MiB; at least 4 MiB. */
  readonly memoryBytes?: number;
  /** Scripts that run at once. Default 8. */
  readonly maxWorkers?: number;
}

/**
 * Warm workers, one script in one VM in each. A worker is used again as long as its VM stayed small and was left in
 * good order; otherwise another takes its place.
 */
export class VmPool {
  /** Bytes that a script may allocate. */
  readonly memoryBytes: number;
  readonly #workers = new Set<VmWorker>();
  readonly #idle: VmWorker[] = [];
  readonly #places: Turnstile;
  /** Threads that are being ended or made while nobody waits for it. */
  readonly #background = new Set<Promise<unknown>>();
  #closed = false;
  #engine: Promise<Engine> | undefined;

  constructor({
    memoryBytes = defaultMemoryBytes,
    maxWorkers = defaultMaxWorkers,
  }: VmPoolOptions = {}) {
    this.memoryBytes = memoryBytes;
    this.#places = new Turnstile(maxWorkers);
  }

  /** Threads that are alive. */
  get size(): number {
    return this.#workers.size;
  }

  /** Runs a script until it ends or `signal` is aborted (`stopped`); never rejects. */
  async run(job: VmJob, events: VmEvents, signal: AbortSignal): Promise<VmOutcome> {
    if (this.#closed || !(await this.#places.enter(signal))) return stopped;
    try {
      // It may have been closed while this one waited for its turn.
      if (this.#closed) return stopped;
      const worker = this.#takeIdle() ?? this.#createWorker();
      return await this.#runIn(worker, { job, events, signal });
    } catch (error) {
      if (this.#closed) return stopped;
      return { ...stopped, end: { type: 'fault', message: String(error) } };
    } finally {
      this.#places.leave();
    }
  }

  /** A script will soon be run: a thread that is warm is woken meanwhile. */
  expect(): void {
    this.#idle.at(-1)?.expect();
  }

  /** A script will probably have to be stopped, and its thread be ended: the next one finds a warm one all the same. */
  prepare(): void {
    if (!this.#closed && this.#idle.length === 0) this.#idle.push(this.#createWorker());
  }

  /** Ends every thread, running scripts included; idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#places.dismiss();
    await Promise.all(this.#background);
    await Promise.all([...this.#workers].map((worker) => worker.close()));
    this.#workers.clear();
    this.#idle.length = 0;
  }

  #takeIdle(): VmWorker | undefined {
    for (let worker = this.#idle.pop(); worker !== undefined; worker = this.#idle.pop()) {
      if (worker.usable) return worker;
      this.#workers.delete(worker);
    }
    return undefined;
  }

  #createWorker(): VmWorker {
    this.#engine ??= loadEngine(this.memoryBytes + memoryHeadroomBytes);
    const worker = new VmWorker({ engine: this.#engine, memoryBytes: this.memoryBytes });
    this.#workers.add(worker);
    return worker;
  }

  async #runIn(
    worker: VmWorker,
    { job, events, signal }: { job: VmJob; events: VmEvents; signal: AbortSignal },
  ): Promise<VmOutcome> {
    const stop = (): void => worker.stop();
    const outcome = worker.run(job, events);
    if (signal.aborted || this.#closed) stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await outcome;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#giveBack(worker);
    }
  }

  #giveBack(worker: VmWorker): void {
    if (worker.usable && !this.#closed && this.#idle.length < maxIdleWorkers) {
      this.#idle.push(worker);
      return;
    }
    this.#workers.delete(worker);
    this.#inBackground(this.#replace(worker));
  }

  /** The next script finds a warm worker all the same; what the old one held is given back first. */
  async #replace(worker: VmWorker): Promise<void> {
    await worker.close();
    this.prepare();
  }

  #inBackground(task: Promise<unknown>): void {
    const settled: Promise<unknown> = task
      .catch(() => undefined)
      .finally(() => this.#background.delete(settled));
    this.#background.add(settled);
  }
}

const stopped: VmOutcome = { end: { type: 'stopped' }, droppedLines: 0, refusedCalls: 0 };

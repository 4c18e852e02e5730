import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ItemResult } from './scan-job.ts';
import type { WorkerReply, WorkerRequest } from './scan-worker.ts';

/** Results by item. */
export type ItemResults = Map<number, ItemResult>;

/** One worker thread: takes part in one scan at a time. */
export class ScanThread {
  readonly #worker: Worker;
  #onReply: (reply: WorkerReply) => void = () => {};
  #onEnd: (error: Error) => void = () => {};
  #isBusy = false;
  #hasEnded = false;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.unref();
    worker.on('message', (reply: WorkerReply) => this.#onReply(reply));
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', () => this.#end(new Error('A scan thread has exited.')));
  }

  /** Starts a thread; undefined where this cannot be (TypeScript source on a Node that runs none). */
  static async start(): Promise<ScanThread | undefined> {
    // Beside this file, with the same ending: `.js` when built.
    const url = new URL(`./scan-worker${extname(import.meta.url)}`, import.meta.url);
    const thread = new ScanThread(new Worker(url));
    return new Promise((resolve) => {
      thread.#onReply = () => resolve(thread);
      thread.#onEnd = () => resolve(undefined);
    });
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Whether it can take part in a further scan. */
  get isAlive(): boolean {
    return !this.#hasEnded;
  }

  /** Takes part until no item is left, and adds what it finds to `results`. */
  async takePart(request: WorkerRequest, results: ItemResults): Promise<void> {
    this.#isBusy = true;
    return new Promise((resolve, reject) => {
      this.#onEnd = reject;
      this.#onReply = (reply) => {
        if (reply.kind === 'failed') {
          this.#isBusy = false;
          reject(new Error(`A scan thread failed: ${reply.failure}`));
        }
        if (reply.kind !== 'found') return;
        for (const [index, result] of reply.results) results.set(index, result);
        if (!reply.done) return;
        this.#isBusy = false;
        resolve();
      };
      this.#worker.postMessage(request, []);
    });
  }

  async terminate(): Promise<void> {
    this.#onReply = () => {};
    this.#onEnd = () => {};
    this.#hasEnded = true;
    await this.#worker.terminate();
  }

  #end(error: Error): void {
    this.#hasEnded = true;
    this.#onEnd(error);
  }
}

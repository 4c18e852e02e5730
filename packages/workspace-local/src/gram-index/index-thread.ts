import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CandidateQuery, Candidates, CandidateSource } from './candidate-source.ts';
import type { IndexReply, IndexRequest } from './index-worker.ts';

/** Milliseconds to wait for an answer; scanning the tree is better than waiting longer. */
const answerMs = 150;

/**
 * A search index in a thread of its own: it reads files without holding up the host, and has the kernel's queue of
 * notifications for itself. Where the thread cannot be started (TypeScript source on a Node that runs none) there is
 * no index.
 */
export class IndexThread implements CandidateSource {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (reply: IndexReply | undefined) => void>();
  #lastId = 0;
  #hasEnded = false;

  /** `root` is an absolute real path, with `/`. */
  constructor(root: string) {
    // Beside this file, with the same ending: `.js` when built.
    const url = new URL(`./index-worker${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(url, { workerData: root });
    this.#worker.unref();
    this.#worker.on('message', (reply: IndexReply) => this.#waiting.get(reply.id)?.(reply));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  async candidates(query: CandidateQuery): Promise<Candidates | undefined> {
    if (this.#hasEnded) return undefined;
    this.#lastId += 1;
    const request: IndexRequest = { id: this.#lastId, query };
    const reply = await this.#ask(request);
    if (reply?.paths === undefined) return undefined;
    const paths = reply.paths === '' ? [] : reply.paths.split('\0');
    return { paths, notSearched: reply.notSearched };
  }

  async close(): Promise<void> {
    this.#end();
    await this.#worker.terminate();
  }

  async #ask(request: IndexRequest): Promise<IndexReply | undefined> {
    return new Promise((resolve) => {
      const done = (reply: IndexReply | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(request.id);
        resolve(reply);
      };
      const timer = setTimeout(done, answerMs, undefined);
      this.#waiting.set(request.id, done);
      this.#worker.postMessage(request, []);
    });
  }

  #end(): void {
    this.#hasEnded = true;
    for (const done of this.#waiting.values()) done(undefined);
  }
}

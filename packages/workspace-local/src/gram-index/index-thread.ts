import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type {
  CandidateQuery,
  CandidateSource,
  EntryQuery,
  FoundFiles,
} from './candidate-source.ts';
import type { IndexReply, IndexRequest } from './index-worker.ts';
import type { PathList } from './path-list.ts';

/** Milliseconds to wait for an answer; scanning the tree is better than waiting longer. */
const answerMs = 150;

/**
 * A search index in a thread of its own: it reads files without holding up the host, and has the kernel's queue of
 * notifications for itself. Where the thread cannot be started (TypeScript source on a Node that runs none) there is
 * no index.
 */
export class IndexThread implements CandidateSource {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (found: FoundFiles | undefined) => void>();
  /** That of the last reply; the worker sends it once. */
  #list: PathList | undefined;
  #lastId = 0;
  #hasEnded = false;

  /** `root` is an absolute real path, with `/`. */
  constructor(root: string) {
    // Beside this file, with the same ending: `.js` when built.
    const url = new URL(`./index-worker${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(url, { workerData: root });
    this.#worker.unref();
    this.#worker.on('message', (reply: IndexReply) => this.#receive(reply));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  async candidates(query: CandidateQuery): Promise<FoundFiles | undefined> {
    return this.#ask({ id: this.#nextId(), kind: 'candidates', query });
  }

  async entries(query: EntryQuery): Promise<FoundFiles | undefined> {
    return this.#ask({ id: this.#nextId(), kind: 'entries', query });
  }

  async close(): Promise<void> {
    this.#end();
    await this.#worker.terminate();
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Also of a reply that nobody waits for any more the list must be kept. */
  #receive({ id, found }: IndexReply): void {
    this.#list = found?.list ?? this.#list;
    const list = this.#list;
    this.#waiting.get(id)?.(
      found === undefined || list === undefined ? undefined : { ...found, list },
    );
  }

  async #ask(request: IndexRequest): Promise<FoundFiles | undefined> {
    if (this.#hasEnded) return undefined;
    return new Promise((resolve) => {
      const done = (found: FoundFiles | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(request.id);
        resolve(found);
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

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WalkEntry } from '@toolwright/core';
import type {
  CandidateQuery,
  Candidates,
  CandidateSource,
  EntryQuery,
} from './candidate-source.ts';
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
    const reply = await this.#ask({ id: this.#nextId(), kind: 'candidates', query });
    if (reply?.paths === undefined) return undefined;
    return { paths: split(reply.paths), notSearched: reply.notSearched };
  }

  async entries(query: EntryQuery): Promise<readonly WalkEntry[] | undefined> {
    const reply = await this.#ask({ id: this.#nextId(), kind: 'entries', query });
    if (reply?.paths === undefined) return undefined;
    const entries: WalkEntry[] = split(reply.paths).map((path) => ({ path, kind: 'file' }));
    for (const [at, kind] of reply.otherKinds) {
      entries[at] = { path: entries[at]?.path ?? '', kind };
    }
    return entries;
  }

  async close(): Promise<void> {
    this.#end();
    await this.#worker.terminate();
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  async #ask(request: IndexRequest): Promise<IndexReply | undefined> {
    if (this.#hasEnded) return undefined;
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

function split(paths: string): string[] {
  return paths === '' ? [] : paths.split('\0');
}

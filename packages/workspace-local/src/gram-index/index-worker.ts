import { parentPort, workerData } from 'node:worker_threads';
import type { CandidateQuery } from './candidate-source.ts';
import { SearchIndex } from './search-index.ts';

/** To the thread of an index: which files may hold a match. */
export interface IndexRequest {
  readonly id: number;
  readonly query: CandidateQuery;
}

/** From the thread of an index. Paths are joined by NUL: one string crosses faster than thousands. */
export interface IndexReply {
  readonly id: number;
  readonly paths: string | undefined;
  readonly notSearched: readonly { readonly path: string; readonly reason: string }[];
}

// The thread is started with the path of its tree.
const index = new SearchIndex(String(workerData));

parentPort?.on('message', (request: IndexRequest) => {
  void answer(request);
});

async function answer({ id, query }: IndexRequest): Promise<void> {
  const candidates = await index.candidates(query);
  const reply: IndexReply = {
    id,
    paths: candidates?.paths.join('\0'),
    notSearched: candidates?.notSearched ?? [],
  };
  parentPort?.postMessage(reply, []);
}

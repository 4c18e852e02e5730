import { parentPort, workerData } from 'node:worker_threads';
import type { FileKind } from '@toolwright/core';
import type { CandidateQuery, EntryQuery } from './candidate-source.ts';
import { SearchIndex } from './search-index.ts';

/** To the thread of an index: which files may hold a match, or which there are. */
export type IndexRequest =
  | { readonly id: number; readonly kind: 'candidates'; readonly query: CandidateQuery }
  | { readonly id: number; readonly kind: 'entries'; readonly query: EntryQuery };

/** From the thread of an index. Paths are joined by NUL: one string crosses faster than thousands. */
export interface IndexReply {
  readonly id: number;
  readonly paths: string | undefined;
  readonly notSearched: readonly { readonly path: string; readonly reason: string }[];
  /** Which of the paths are no files. */
  readonly otherKinds: readonly (readonly [at: number, kind: FileKind])[];
}

// The thread is started with the path of its tree.
const index = new SearchIndex(String(workerData));

parentPort?.on('message', (request: IndexRequest) => {
  void answer(request);
});

async function answer(request: IndexRequest): Promise<void> {
  const reply = request.kind === 'candidates' ? await candidates(request) : await entries(request);
  parentPort?.postMessage(reply, []);
}

async function candidates({
  id,
  query,
}: IndexRequest & { readonly kind: 'candidates' }): Promise<IndexReply> {
  const found = await index.candidates(query);
  const paths = found?.paths.join('\0');
  return { id, paths, notSearched: found?.notSearched ?? [], otherKinds: [] };
}

async function entries({
  id,
  query,
}: IndexRequest & { readonly kind: 'entries' }): Promise<IndexReply> {
  const found = await index.entries(query);
  const paths = found?.map(({ path }) => path).join('\0');
  const otherKinds = (found ?? []).flatMap(({ kind }, at) =>
    kind === 'file' ? [] : [[at, kind] as const],
  );
  return { id, paths, notSearched: [], otherKinds };
}

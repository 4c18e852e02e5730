import { parentPort, workerData } from 'node:worker_threads';
import type { CandidateQuery, EntryQuery, FoundFiles } from './candidate-source.ts';
import type { PathList } from './path-list.ts';
import { SearchIndex } from './search-index.ts';

/** To the thread of an index: which files may hold a match, or which there are. */
export type IndexRequest =
  | { readonly id: number; readonly kind: 'candidates'; readonly query: CandidateQuery }
  | { readonly id: number; readonly kind: 'entries'; readonly query: EntryQuery };

/** From the thread of an index. The list goes along when it is another than that of the reply before. */
export interface IndexReply {
  readonly id: number;
  readonly found: (Omit<FoundFiles, 'list'> & { readonly list: PathList | undefined }) | undefined;
}

// The thread is started with the path of its tree.
const index = new SearchIndex(String(workerData));
let sent: PathList | undefined;

parentPort?.on('message', (request: IndexRequest) => {
  void answer(request);
});

async function answer({ id, ...request }: IndexRequest): Promise<void> {
  const found = await (request.kind === 'candidates'
    ? index.candidates(request.query)
    : index.entries(request.query));
  const list = found?.list === sent ? undefined : found?.list;
  sent = found?.list ?? sent;
  const reply: IndexReply = { id, found: found && { ...found, list } };
  parentPort?.postMessage(reply, []);
}

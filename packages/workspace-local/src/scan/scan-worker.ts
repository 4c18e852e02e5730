import { parentPort } from 'node:worker_threads';
import { ScanControl, type ItemResult, type ScanItem, type ScanJob } from './scan-job.ts';
import { ScannerMemories } from './scanner-memory.ts';
import { TreeScanner } from './tree-scanner.ts';

/** To a worker: a scan to take part in. */
export interface WorkerRequest {
  readonly id: number;
  readonly job: ScanJob;
  readonly items: readonly ScanItem[];
  readonly control: SharedArrayBuffer;
}

/** From a worker: that it has started; results of some items, and whether it is done; or why it could not go on. */
export type WorkerReply =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'found';
      readonly id: number;
      readonly results: readonly (readonly [index: number, result: ItemResult])[];
      readonly done: boolean;
    }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: string };

/** Milliseconds after which results are handed over, so that a deadline loses little. */
const reportEveryMs = 50;

const memories = new ScannerMemories();

parentPort?.on('message', (request: WorkerRequest) => {
  try {
    takePart(request);
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    send({ kind: 'failed', id: request.id, failure });
  }
});

send({ kind: 'ready' });

function takePart({ id, job, items, control: shared }: WorkerRequest): void {
  const control = new ScanControl(shared);
  const memory = memories.take();
  const scanner = new TreeScanner(memory, job, control);
  let results: (readonly [number, ItemResult])[] = [];
  let reportedAt = Date.now();
  for (let index = control.takeItem(); index >= 0; index = control.takeItem()) {
    const item = items[index];
    if (item === undefined) break;
    results.push([index, scanner.scan(item, index)]);
    if (Date.now() - reportedAt > reportEveryMs) {
      send({ kind: 'found', id, results, done: false });
      results = [];
      reportedAt = Date.now();
    }
  }
  memories.giveBack(memory);
  send({ kind: 'found', id, results, done: true });
}

function send(reply: WorkerReply): void {
  parentPort?.postMessage(reply, []);
}

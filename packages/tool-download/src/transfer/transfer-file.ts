import { isTransient } from './failures.ts';
import type { FileSink } from './file-sink.ts';
import { fetchInPieces, PartMismatch } from './parallel.ts';
import type { RangedFile } from './parallel.ts';
import { planConnections } from './plan-pieces.ts';
import type { RemoteFile } from './probe.ts';
import { fetchSequentially } from './sequential.ts';
import type { TransferContext } from './transfer-context.ts';

/** How a file came. */
export interface TransferOutcome {
  readonly strategy: 'sequential' | 'parallel_range' | 'sequential_fallback';
  /** Connections side by side. */
  readonly connections: number;
  /** What was fetched in the end: another version than the probed one where the file changed meanwhile. */
  readonly file: RemoteFile;
}

/**
 * Brings a probed file into the sink: in parts where the server has shown ranges and a strong validator, else whole. When the parts do not
 * fit together, the file is fetched again as one consistent response; when a part cannot be had, over one connection from where the
 * complete part ends.
 */
export async function transferFile(
  context: TransferContext,
  file: RemoteFile,
  job: { readonly sink: FileSink; readonly connections: number | undefined },
): Promise<TransferOutcome> {
  const { sink } = job;
  if (file.total === 0) {
    await file.whole?.cancel();
    await sink.restart(file.validator);
    return { strategy: 'sequential', connections: 1, file };
  }
  const connections = isRanged(file) ? planConnections(file.total, job.connections) : 1;
  if (!isRanged(file) || connections === 1 || sink.written > 0) {
    const fetched = await fetchSequentially(context, file, sink);
    return { strategy: 'sequential', connections: 1, file: fetched };
  }
  try {
    const used = await fetchInPieces(context, file, {
      sink,
      connections,
      isAdaptive: job.connections === undefined,
    });
    return { strategy: used === 1 ? 'sequential' : 'parallel_range', connections: used, file };
  } catch (error) {
    if (context.signal.aborted || !(error instanceof PartMismatch || isTransient(error))) {
      throw error;
    }
    const rest = await prepareFallback(error, file, sink);
    const fetched = await fetchSequentially(context, rest, sink);
    return { strategy: 'sequential_fallback', connections: 1, file: fetched };
  }
}

/** A server that muddled parts is not asked for a part again. */
async function prepareFallback(
  error: unknown,
  file: RangedFile,
  sink: FileSink,
): Promise<RemoteFile> {
  if (error instanceof PartMismatch) {
    await sink.restart(undefined);
    return { ...file, validator: undefined, hasRanges: false };
  }
  return file;
}

function isRanged(file: RemoteFile): file is RangedFile {
  return file.hasRanges && file.total !== undefined && file.validator !== undefined;
}

import { ToolError } from '@toolwright/core';
import type { HttpResponse } from '@toolwright/core';
import { declaredLength, parseContentRange } from './content-range.ts';
import { interrupted, statusError } from './failures.ts';
import type { FileSink } from './file-sink.ts';
import { planPieces } from './plan-pieces.ts';
import type { Piece } from './plan-pieces.ts';
import type { RemoteFile } from './probe.ts';
import { withRetries } from './retry.ts';
import { sendRange } from './transfer-context.ts';
import type { TransferContext } from './transfer-context.ts';

/** A file whose parts can be fetched side by side. */
export type RangedFile = RemoteFile & { readonly total: number; readonly validator: string };

/**
 * Fetches a file in pieces over several connections. Every part must be exactly the one asked for, of exactly this file; a part that
 * breaks off goes on where it stopped. A server that limits us loses one connection each time, down to one.
 *
 * Errors: the first that a piece could not get over; every connection is closed by then.
 */
export async function fetchInPieces(
  context: TransferContext,
  file: RangedFile,
  job: { readonly sink: FileSink; readonly connections: number },
): Promise<void> {
  const stop = new AbortController();
  const own = { ...context, signal: AbortSignal.any([context.signal, stop.signal]) };
  const queue = new PieceQueue(planPieces(file.total, job.connections));
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    try {
      await fetchFromQueue(own, file, { queue, sink: job.sink });
    } catch (error) {
      failures.push(error);
      stop.abort(new Error('Another connection has failed.'));
    }
  };
  // All of them have ended before this does: nobody writes afterwards.
  await Promise.all(Array.from({ length: job.connections }, work));
  if (failures.length > 0) {
    // The first one is the cause; the others were stopped by it.
    throw failures[0];
  }
}

interface Progress extends Piece {
  /** The next byte to come. */
  position: number;
}

/** Hands out pieces in order and knows up to where the file has no gap. */
class PieceQueue {
  readonly #waiting: Progress[];
  readonly #all: readonly Progress[];
  #first = 0;
  #active = 0;

  constructor(pieces: readonly Piece[]) {
    this.#all = pieces.map((piece) => ({ ...piece, position: piece.start }));
    this.#waiting = [...this.#all];
  }

  take(): Progress | undefined {
    return this.#waiting.shift();
  }

  /** A worker begins. */
  join(): void {
    this.#active += 1;
  }

  /** A worker ends. */
  leave(): void {
    this.#active -= 1;
  }

  /** A worker gives its piece back and ends, if another is still at work; else it has to go on. */
  retire(piece: Progress): boolean {
    if (this.#active < 2) {
      return false;
    }
    this.#active -= 1;
    this.#waiting.unshift(piece);
    return true;
  }

  /** Bytes from the start that are complete. */
  completeTo(): number {
    let current = this.#all[this.#first];
    while (
      current !== undefined &&
      current.position > current.end &&
      this.#first + 1 < this.#all.length
    ) {
      this.#first += 1;
      current = this.#all[this.#first];
    }
    return current?.position ?? 0;
  }
}

async function fetchFromQueue(
  context: TransferContext,
  file: RangedFile,
  shared: { readonly queue: PieceQueue; readonly sink: FileSink },
): Promise<void> {
  const { queue } = shared;
  queue.join();
  for (let piece = queue.take(); piece !== undefined; piece = queue.take()) {
    try {
      await fetchPiece(context, file, { ...shared, piece });
    } catch (error) {
      if (error instanceof FewerConnections) {
        return;
      }
      queue.leave();
      throw error;
    }
  }
  queue.leave();
}

async function fetchPiece(
  context: TransferContext,
  file: RangedFile,
  shared: { readonly queue: PieceQueue; readonly sink: FileSink; readonly piece: Progress },
): Promise<void> {
  await withRetries(context, async () => {
    try {
      await fetchRest(context, file, shared);
    } catch (error) {
      throw isLimited(error) && shared.queue.retire(shared.piece) ? new FewerConnections() : error;
    }
  });
}

/** The server wants fewer connections, and this one's piece was given back. */
class FewerConnections extends Error {}

function isLimited(error: unknown): boolean {
  return ToolError.isInstance(error) && error.type === 'rate_limited';
}

async function fetchRest(
  context: TransferContext,
  file: RangedFile,
  {
    queue,
    sink,
    piece,
  }: { readonly queue: PieceQueue; readonly sink: FileSink; readonly piece: Progress },
): Promise<void> {
  if (piece.position > piece.end) {
    return;
  }
  const response = await askForPart(context, file, piece);
  try {
    checkPart(response, { file, piece, nowMs: context.now() });
    for await (const chunk of response.body) {
      if (piece.position + chunk.length > piece.end + 1) {
        throw new PartMismatch('The server sent more than the part it had announced.');
      }
      const position = piece.position;
      await sink.writeAt(position, chunk);
      piece.position += chunk.length;
      const end = queue.completeTo();
      await (end === piece.position ? sink.complete(end, chunk) : sink.complete(end));
    }
  } finally {
    await response.cancel();
  }
  if (piece.position <= piece.end) {
    throw interrupted('A part of the file broke off.');
  }
}

async function askForPart(
  context: TransferContext,
  file: RangedFile,
  piece: Progress,
): Promise<HttpResponse> {
  try {
    return await sendRange(context, {
      url: file.url,
      range: { position: piece.position, end: piece.end },
      validator: file.validator,
      sameOrigin: true,
    });
  } catch (error) {
    const isElsewhere = ToolError.isInstance(error) && error.reason === 'cross_origin_redirect';
    throw isElsewhere ? new PartMismatch('The server sent a part to another origin.') : error;
  }
}

/** A part that is not the one asked for: trying the same again would not help, one whole response does. */
export class PartMismatch extends Error {
  override readonly name = 'PartMismatch';
}

function checkPart(
  response: HttpResponse,
  {
    file,
    piece,
    nowMs,
  }: { readonly file: RangedFile; readonly piece: Progress; readonly nowMs: number },
): void {
  if (response.status !== 206) {
    throw response.status < 400
      ? new PartMismatch('The server answered a range with the whole file.')
      : statusError(response, nowMs);
  }
  const range = parseContentRange(response.headers['content-range']);
  const isExact =
    range?.start === piece.position && range.end === piece.end && range.total === file.total;
  const length = declaredLength(response.headers);
  const isCoded = (response.headers['content-encoding'] ?? 'identity') !== 'identity';
  if (!isExact || isCoded || (length !== undefined && length !== piece.end - piece.position + 1)) {
    throw new PartMismatch('The server answered a range with another part.');
  }
}

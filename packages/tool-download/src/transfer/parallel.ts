import { ToolError } from '@toolwright/core';
import type { HttpResponse } from '@toolwright/core';
import { declaredLength, parseContentRange } from './content-range.ts';
import { interrupted, protocolError, statusError } from './failures.ts';
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
  const work = async (): Promise<void> => {
    try {
      await fetchFromQueue(own, file, { queue, sink: job.sink });
    } catch (error) {
      stop.abort(new Error('Another connection has failed.'));
      throw error;
    }
  };
  const workers = Array.from({ length: job.connections }, work);
  // All of them have ended before this does: nobody writes afterwards.
  await Promise.allSettled(workers);
  await Promise.all(workers);
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
  active = 0;

  constructor(pieces: readonly Piece[]) {
    this.#all = pieces.map((piece) => ({ ...piece, position: piece.start }));
    this.#waiting = [...this.#all];
  }

  take(): Progress | undefined {
    return this.#waiting.shift();
  }

  giveBack(piece: Progress): void {
    this.#waiting.unshift(piece);
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
  queue.active += 1;
  try {
    for (let piece = queue.take(); piece !== undefined; piece = queue.take()) {
      const isDone = await fetchPiece(context, file, { ...shared, piece });
      if (!isDone) {
        queue.giveBack(piece);
        return;
      }
    }
  } finally {
    queue.active -= 1;
  }
}

/** False when the server wants fewer connections and others are at work on the rest. */
async function fetchPiece(
  context: TransferContext,
  file: RangedFile,
  shared: { readonly queue: PieceQueue; readonly sink: FileSink; readonly piece: Progress },
): Promise<boolean> {
  try {
    await withRetries(context, async () => {
      try {
        await fetchRest(context, file, shared);
      } catch (error) {
        throw isLimited(error) && shared.queue.active > 1 ? new FewerConnections() : error;
      }
    });
    return true;
  } catch (error) {
    if (error instanceof FewerConnections) {
      return false;
    }
    throw error;
  }
}

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
  const response = await sendRange(context, {
    url: file.url,
    range: { position: piece.position, end: piece.end },
    validator: file.validator,
    sameOrigin: true,
  });
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

/** The typed form of a failed download in pieces, for a caller that cannot fall back. */
export function toPartError(error: unknown): unknown {
  return error instanceof PartMismatch ? protocolError(error.message) : error;
}

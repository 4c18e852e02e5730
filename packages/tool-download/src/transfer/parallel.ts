import { setTimeout as delay } from 'node:timers/promises';
import { ToolError } from '@toolwright/core';
import type { HttpResponse } from '@toolwright/core';
import { declaredLength, parseContentRange } from './content-range.ts';
import { interrupted, statusError } from './failures.ts';
import type { FileSink } from './file-sink.ts';
import { PieceQueue } from './piece-queue.ts';
import type { PieceProgress } from './piece-queue.ts';
import { planPieces } from './plan-pieces.ts';
import type { Piece } from './plan-pieces.ts';
import type { RemoteFile } from './probe.ts';
import { withRetries } from './retry.ts';
import { sendRange } from './transfer-context.ts';
import type { TransferContext } from './transfer-context.ts';
import { namesOtherVersion } from './validator.ts';

/** A file whose parts can be fetched side by side. */
export type RangedFile = RemoteFile & { readonly total: number; readonly validator: string };

/** How to fetch in pieces. */
export interface PieceJob {
  readonly sink: FileSink;
  /** Connections at most. */
  readonly connections: number;
  /** Begin with one connection, and add the others only when it does not use up what this machine can take. */
  readonly isAdaptive: boolean;
}

/**
 * Fetches a file in pieces over several connections; one that is done takes over half of what is left of the largest. Every part must
 * be exactly the one asked for, of exactly this file; a part that breaks off goes on where it stopped. A server that limits us loses
 * one connection each time, down to one. Returns the connections that were used.
 *
 * Errors: the first that a piece could not get over; every connection is closed by then.
 */
export async function fetchInPieces(
  context: TransferContext,
  file: RangedFile,
  job: PieceJob,
): Promise<number> {
  const stop = new AbortController();
  const own = { ...context, signal: AbortSignal.any([context.signal, stop.signal]) };
  // One connection that is enough needs one request.
  const queue = new PieceQueue(
    job.isAdaptive ? [{ start: 0, end: file.total - 1 }] : planPieces(file.total, job.connections),
  );
  const failures: unknown[] = [];
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const work = async (): Promise<void> => {
    try {
      await fetchFromQueue(own, file, { queue, sink: job.sink, begin });
    } catch (error) {
      failures.push(error);
      stop.abort(new Error('Another connection has failed.'));
    }
  };
  const first = work();
  const isEnough = job.isAdaptive && (await isFast(own, { first, begun, sink: job.sink }));
  if (job.isAdaptive && !isEnough) {
    queue.spread();
  }
  const others = Array.from({ length: isEnough ? 0 : job.connections - 1 }, work);
  // All of them have ended before this does: nobody writes afterwards.
  await Promise.all([first, ...others]);
  if (failures.length > 0) {
    // The first one is the cause; the others were stopped by it.
    throw failures[0];
  }
  return 1 + others.length;
}

/** Milliseconds, from its first bytes on, after which the first connection is judged. */
const TRIAL_MS = 30;
/** Milliseconds that the first bytes are waited for. */
const MAX_ANSWER_MS = 500;
/** Bytes a millisecond from which one connection is enough: past 50 MB/s, writing and hashing are soon the limit. */
const FAST_BYTES_PER_MS = 50_000;

async function isFast(
  context: TransferContext,
  {
    first,
    begun,
    sink,
  }: { readonly first: Promise<void>; readonly begun: Promise<void>; readonly sink: FileSink },
): Promise<boolean> {
  const over = new AbortController();
  const signal = AbortSignal.any([context.signal, over.signal]);
  const wait = async (ms: number): Promise<void> => {
    await delay(ms, undefined, { signal }).catch(() => {});
  };
  // How long the server takes to answer says nothing about its rate.
  await Promise.race([first, begun, wait(MAX_ANSWER_MS)]);
  const before = sink.written;
  const startMs = performance.now();
  await Promise.race([first, wait(TRIAL_MS)]);
  over.abort();
  return sink.written - before >= FAST_BYTES_PER_MS * (performance.now() - startMs);
}

/** What the connections of one file work with. */
interface SharedWork {
  readonly queue: PieceQueue;
  readonly sink: FileSink;
  /** Told when bytes have come. */
  readonly begin: () => void;
}

async function fetchFromQueue(
  context: TransferContext,
  file: RangedFile,
  shared: SharedWork,
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
  shared: SharedWork & { readonly piece: PieceProgress },
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
  { queue, sink, piece, begin }: SharedWork & { readonly piece: PieceProgress },
): Promise<void> {
  if (piece.position > piece.end) {
    return;
  }
  const asked = { start: piece.position, end: piece.end };
  const response = await askForPart(context, file, asked);
  try {
    checkPart(response, { file, asked, nowMs: context.now() });
    for await (const received of response.body) {
      if (piece.position + received.length > asked.end + 1) {
        throw new PartMismatch('The server sent more than the part it had announced.');
      }
      // Another connection may have taken over the end of this piece meanwhile; never what is being written here, which is near.
      const chunk = received.subarray(0, piece.end + 1 - piece.position);
      await sink.writeAt(piece.position, chunk);
      piece.position += chunk.length;
      begin();
      const end = queue.completeTo();
      if (end > sink.written) {
        sink.complete(end, end === piece.position ? chunk : undefined);
      }
      if (piece.position > piece.end) {
        break;
      }
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
  asked: Piece,
): Promise<HttpResponse> {
  try {
    return await sendRange(context, {
      url: file.url,
      range: { position: asked.start, end: asked.end },
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
    asked,
    nowMs,
  }: { readonly file: RangedFile; readonly asked: Piece; readonly nowMs: number },
): void {
  if (response.status !== 206) {
    throw response.status < 400
      ? new PartMismatch('The server answered a range with the whole file.')
      : statusError(response, nowMs);
  }
  const range = parseContentRange(response.headers['content-range']);
  const isExact =
    range?.start === asked.start && range.end === asked.end && range.total === file.total;
  const length = declaredLength(response.headers);
  const isCoded = (response.headers['content-encoding'] ?? 'identity') !== 'identity';
  const isOther = namesOtherVersion(response.headers, file.validator);
  if (
    !isExact ||
    isCoded ||
    isOther ||
    (length !== undefined && length !== asked.end - asked.start + 1)
  ) {
    throw new PartMismatch('The server answered a range with another part.');
  }
}

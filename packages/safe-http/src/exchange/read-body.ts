import { ChunkDecoder } from './decode-chunks.ts';
import type { ResponseHead } from './response-head.ts';
import type { SocketReader } from './socket-reader.ts';

/** The body that follows a head; tells at its end whether the connection may serve another request, or is to be destroyed. */
export async function* readBody(
  reader: SocketReader,
  state: {
    readonly head: ResponseHead;
    readonly rest: Uint8Array;
    readonly keep: () => void;
    readonly destroy: () => void;
  },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { head, rest, keep, destroy } = state;
  let isReusable = false;
  try {
    isReusable = yield* head.framing.kind === 'chunked'
      ? readChunks(reader, rest)
      : readPlain(reader, rest, head.framing.kind === 'length' ? head.framing.length : undefined);
  } finally {
    if (isReusable && head.keepsAlive) {
      keep();
    } else {
      destroy();
    }
  }
}

/** Returns whether nothing came behind the body. */
async function* readPlain(
  reader: SocketReader,
  rest: Uint8Array,
  length: number | undefined,
): AsyncGenerator<Uint8Array, boolean, undefined> {
  let received = 0;
  let hasSurplus = false;
  let chunk: Uint8Array | undefined = rest;
  while (chunk !== undefined) {
    const wanted: Uint8Array = length === undefined ? chunk : chunk.subarray(0, length - received);
    hasSurplus = wanted.length < chunk.length;
    received += wanted.length;
    if (wanted.length > 0) {
      yield wanted;
    }
    chunk = received === length ? undefined : await reader.next();
  }
  if (length !== undefined && received < length) {
    throw new Error('The connection ended before the body.');
  }
  return !hasSurplus;
}

async function* readChunks(
  reader: SocketReader,
  rest: Uint8Array,
): AsyncGenerator<Uint8Array, boolean, undefined> {
  const decoder = new ChunkDecoder();
  yield* decoder.push(rest);
  while (!decoder.isDone) {
    const bytes = await reader.next();
    if (bytes === undefined) {
      throw new Error('The connection ended before the body.');
    }
    yield* decoder.push(bytes);
  }
  return !decoder.hasSurplus;
}

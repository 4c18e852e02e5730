import { utf8Chunks } from '../digest/utf8-chunks.ts';

/** What a tool may return as output: text, bytes, or bytes as they come. */
export type OutputSource = string | Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Reads a source chunk by chunk. When the signal fires while a stream makes us wait, throws its reason and closes the
 * stream. A chunk may be reused once the next one is asked for.
 */
export async function* sourceChunks(
  source: OutputSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  signal?.throwIfAborted();
  if (typeof source === 'string') {
    yield* utf8Chunks(source);
  } else if (source instanceof Uint8Array) {
    yield source;
  } else {
    yield* streamChunks(source, signal);
  }
}

async function* streamChunks(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const result = await nextUnlessAborted(iterator, signal);
      if (result.done === true) {
        isDone = true;
        return;
      }
      if (!(result.value instanceof Uint8Array)) {
        throw new TypeError(
          `An output stream must yield Uint8Array chunks, not ${typeof result.value}`,
        );
      }
      yield result.value;
    }
  } finally {
    // Not awaited: a source that hangs must not keep a cancelled call from ending.
    if (!isDone) iterator.return?.().then(undefined, () => undefined);
  }
}

function nextUnlessAborted(
  iterator: AsyncIterator<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<Uint8Array>> {
  if (signal === undefined) return iterator.next();
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    iterator
      .next()
      .finally(() => signal.removeEventListener('abort', onAbort))
      .then(resolve, reject);
  });
}

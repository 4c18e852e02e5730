import { Readable } from 'node:stream';
import type { Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { ToolError } from '@toolwright/core';

/** Decoded bytes up to which any ratio is fine: small answers compress as they like. */
const FREE_BYTES = 4 * 1024 * 1024;
/** Decoded bytes a received one, past the first {@link FREE_BYTES}; text seldom passes 20, a bomb 1,000. */
const MAX_RATIO = 400;
/** Codings applied one after the other; more than this is an attack, not a proxy's mistake. */
const MAX_CODINGS = 2;

/**
 * Reads the codings of a `Content-Encoding` header, in the order of application; `identity` is left out.
 * Errors: `unsupported`/`content_encoding` for an unknown one or for more than two.
 */
export function parseContentEncoding(value: string | undefined): readonly string[] {
  const codings = (value ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const unknown = codings.find((coding) => !KNOWN_CODINGS.has(coding));
  if (unknown !== undefined || codings.length > MAX_CODINGS) {
    const what =
      unknown === undefined
        ? `${String(codings.length)} codings`
        : `the coding "${unknown.slice(0, 40)}"`;
    throw new ToolError(
      'unsupported',
      `The response uses ${what} in Content-Encoding, which cannot be decoded.`,
      {
        reason: 'content_encoding',
      },
    );
  }
  return codings;
}

const KNOWN_CODINGS: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br']);

/**
 * Undoes the codings of a body while it streams. What one received byte may become is bounded, for each coding by itself,
 * beside any cap on the whole. Errors: `limit_exceeded`/`decompression_ratio`; `transport`/`protocol` for damaged data.
 */
export async function* decodeBody(
  body: AsyncIterable<Uint8Array>,
  codings: readonly string[],
): AsyncGenerator<Uint8Array, void, undefined> {
  let source = body;
  for (const coding of codings.toReversed()) {
    source = decodeOne(source, coding);
  }
  yield* source;
}

async function* decodeOne(
  source: AsyncIterable<Uint8Array>,
  coding: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const received = { bytes: 0 };
  const counted = count(source, received);
  const first = await counted.next();
  if (first.done === true) {
    return;
  }
  const decoder = createDecoder(coding, first.value);
  const input = Readable.from(prepend(first.value, counted), {
    objectMode: false,
    highWaterMark: 64 * 1024,
  });
  let failure: unknown;
  input.once('error', (error) => {
    failure = error;
    decoder.destroy(error);
  });
  input.pipe(decoder);
  let produced = 0;
  try {
    for await (const chunk of decoder) {
      const bytes: Uint8Array = chunk;
      produced += bytes.length;
      if (produced > FREE_BYTES && produced > received.bytes * MAX_RATIO) {
        throw new ToolError(
          'limit_exceeded',
          'The compressed response unpacks to far more than it holds.',
          {
            reason: 'decompression_ratio',
          },
        );
      }
      yield bytes;
    }
  } catch (error) {
    throw failure ?? (ToolError.isInstance(error) ? error : damaged(error));
  } finally {
    input.destroy();
    decoder.destroy();
  }
}

async function* count(
  source: AsyncIterable<Uint8Array>,
  received: { bytes: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of source) {
    received.bytes += chunk.length;
    yield chunk;
  }
}

async function* prepend(
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield first;
  yield* rest;
}

/** `deflate` means zlib (RFC 9110), yet some servers send it raw: the low bits of the first byte tell (RFC 1950). */
function createDecoder(coding: string, first: Uint8Array): Duplex {
  switch (coding) {
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return ((first[0] ?? 0) & 0x0f) === 0x08 ? createInflate() : createInflateRaw();
    default:
      return createGunzip();
  }
}

function damaged(cause: unknown): ToolError {
  return new ToolError('transport', 'The compressed response is damaged or cut off.', {
    reason: 'protocol',
    cause,
  });
}

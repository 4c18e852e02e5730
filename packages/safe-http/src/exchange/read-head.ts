import { MalformedHead, parseResponseHead } from './response-head.ts';
import type { ResponseHead } from './response-head.ts';
import type { SocketReader } from './socket-reader.ts';

/** The connection ended before a byte of the answer had come. */
export class NoAnswer extends Error {}

const BLANK_LINE = Buffer.from('\r\n\r\n');

/** Reads up to the blank line of the final answer; hints before it (1xx) are skipped and count towards the cap. */
export async function readHead(
  reader: SocketReader,
  maxBytes: number,
): Promise<{ readonly head: ResponseHead; readonly rest: Uint8Array }> {
  let pending = Buffer.alloc(0);
  let skipped = 0;
  for (;;) {
    const end = pending.indexOf(BLANK_LINE);
    if (end === -1) {
      if (skipped + pending.length > maxBytes) {
        throw headerTooLarge();
      }
      const chunk = await nextOf(reader, skipped + pending.length === 0);
      pending = Buffer.concat([pending, chunk]);
      continue;
    }
    skipped += end + BLANK_LINE.length;
    if (skipped > maxBytes) {
      throw headerTooLarge();
    }
    const head = parseResponseHead(pending.toString('latin1', 0, end));
    pending = pending.subarray(end + BLANK_LINE.length);
    if (head.status >= 200) {
      return { head, rest: pending };
    }
    if (head.status === 101) {
      throw new MalformedHead('The server switches to another protocol, which nobody asked for.');
    }
  }
}

async function nextOf(reader: SocketReader, isFirst: boolean): Promise<Uint8Array> {
  try {
    const chunk = await reader.next();
    if (chunk !== undefined) {
      return chunk;
    }
  } catch (cause) {
    throw isFirst ? new NoAnswer('The connection broke before the answer.', { cause }) : cause;
  }
  const message = 'The connection ended before the answer.';
  throw isFirst ? new NoAnswer(message) : new Error(message);
}

function headerTooLarge(): Error {
  return Object.assign(new Error('The headers are too large.'), {
    code: 'UND_ERR_HEADERS_OVERFLOW',
  });
}

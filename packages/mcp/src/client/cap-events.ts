import { ToolError } from '@toolwright/core';

const LF = 0x0a;
const CR = 0x0d;

/**
 * Passes a body on and cuts it off when one message of it is too long: for an event stream the bytes since the last
 * blank line, else all of it. Streams themselves may last and grow for ever. Errors: `limit_exceeded`.
 */
export async function* capEvents(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  isStream: boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  let lastWasBreak = true;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (isStream) {
      const end = lastBlankLine(chunk, lastWasBreak);
      if (end !== undefined) bytes = chunk.length - end;
      const last = chunk.at(-1);
      if (last !== undefined) lastWasBreak = last === LF || last === CR;
    }
    if (bytes > maxBytes) {
      throw new ToolError('limit_exceeded', `A message has more than ${maxBytes} bytes.`, {
        reason: 'message_too_long',
      });
    }
    yield chunk;
  }
}

/** The offset behind the last blank line that ends in a chunk. */
function lastBlankLine(chunk: Uint8Array, startsAfterBreak: boolean): number | undefined {
  for (let at = chunk.lastIndexOf(LF); at >= 0; at = chunk.lastIndexOf(LF, at - 1)) {
    const before = at > 0 && chunk[at - 1] === CR ? at - 2 : at - 1;
    if (before < 0 ? startsAfterBreak : chunk[before] === LF) return at + 1;
    if (at === 0) break;
  }
  return undefined;
}

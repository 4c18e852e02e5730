import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { HttpFailure } from './http-answers.ts';

/** A body as JSON, or why it is none. */
export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'failure'; readonly failure: HttpFailure };

/** Reads the body of a POST, up to a bound; what is too long is not read to its end. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const { accept = '' } = request.headers;
  if (!isJsonContentType(request.headers['content-type'] ?? null)) {
    return failure(415, -32_000, 'The body of a POST is application/json.');
  }
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    return failure(406, -32_000, 'Accept must name application/json and text/event-stream.');
  }
  const tooLarge = `A message has at most ${maxBytes} bytes.`;
  if (Number(request.headers['content-length']) > maxBytes) return failure(413, -32_000, tooLarge);
  const text = await readText(request, maxBytes);
  if (text === undefined) return failure(413, -32_000, tooLarge);
  try {
    const value: unknown = JSON.parse(text);
    return { kind: 'json', value };
  } catch {
    return failure(400, -32_700, 'The body is no JSON.');
  }
}

function failure(status: number, code: number, message: string): Body {
  // What was not read of a body would be taken for the next request.
  const headers = status === 413 ? { connection: 'close' } : {};
  return { kind: 'failure', failure: { status, code, message, headers } };
}

/** The body as text; undefined once it is too long. The connection stays open for the answer. */
function readText(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        request.pause();
        resolve(undefined);
      } else chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.once('error', reject);
    request.once('close', () => reject(new Error('The request was broken off.')));
  });
}

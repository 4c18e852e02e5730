import { responseHead } from './behaviours.ts';
import type { HostileBehaviour, HostileExchange } from './hostile-server.ts';

/** What one answer of {@link serveFile} does wrong; every field is a lie or an accident of its own. */
export interface FileFault {
  /** Break the connection after this many bytes of body. */
  readonly resetAfter?: number;
  /** End the connection in order after this many bytes of body. */
  readonly cutAfter?: number;
  /** Answer with this status instead, without a body. */
  readonly status?: number;
  /** Ignore the range and answer whole. */
  readonly ignoreRange?: boolean;
  /** Answer a range with bytes that start this much earlier or later, truthfully named. */
  readonly shiftRange?: number;
  /** Send this `Content-Range`, whatever the bytes are; empty: leave it out. */
  readonly contentRange?: string;
  /** Send this `Content-Length`, whatever the bytes are; empty: leave it out and close at the end. */
  readonly contentLength?: string;
  /** Send the body chunked, without a length. */
  readonly chunked?: boolean;
  /** Write the body in pieces of this many bytes, with a pause between. */
  readonly dripBytes?: number;
  /** Bytes added behind the end of the body. */
  readonly surplus?: number;
  /** Further headers, in place of the usual ones of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A file as a server sees it. */
export interface ServedFile {
  readonly bytes: Uint8Array;
  /** Headers of every answer, such as `etag`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The fault of an answer, by the request; `undefined` for an honest one. */
  readonly fault?: (exchange: HostileExchange) => FileFault | undefined;
}

/**
 * Serves one file as a good server would, ranges, `If-Range`, 416 and all, unless a fault says otherwise.
 * Reads the file anew for each request, so that a getter can change it.
 */
export function serveFile(file: ServedFile): HostileBehaviour {
  return async (exchange) => {
    const fault = file.fault?.(exchange) ?? {};
    if (fault.status !== undefined) {
      await exchange.write(responseHead(fault.status, { 'content-length': '0', ...fault.headers }));
      return;
    }
    const { status, headers, body } = answer(exchange, file, fault);
    const framed = frame(headers, body.length, fault);
    await exchange.write(responseHead(status, framed));
    if (exchange.request.method !== 'HEAD') {
      await sendBody(exchange, body, fault);
    }
    if (fault.contentLength !== undefined || fault.surplus !== undefined) {
      exchange.end();
    }
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

function answer(exchange: HostileExchange, file: ServedFile, fault: FileFault): Answer {
  const total = file.bytes.length;
  const base = { 'accept-ranges': 'bytes', ...file.headers };
  const range = wantedRange(exchange, file);
  if (range === undefined || fault.ignoreRange === true) {
    return { status: 200, headers: base, body: file.bytes };
  }
  const start = Math.max(range.start + (fault.shiftRange ?? 0), 0);
  if (start >= total) {
    return {
      status: 416,
      headers: { ...base, 'content-range': `bytes */${String(total)}` },
      body: new Uint8Array(),
    };
  }
  const end = Math.min(range.end + (fault.shiftRange ?? 0), total - 1);
  const contentRange =
    fault.contentRange ?? `bytes ${String(start)}-${String(end)}/${String(total)}`;
  return {
    status: 206,
    headers: contentRange === '' ? base : { ...base, 'content-range': contentRange },
    body: file.bytes.subarray(start, end + 1),
  };
}

function wantedRange(
  { request }: HostileExchange,
  file: ServedFile,
): { readonly start: number; readonly end: number } | undefined {
  const match = /^bytes=(\d+)-(\d*)$/u.exec(request.headers['range'] ?? '');
  const condition = request.headers['if-range'];
  const validators = [file.headers?.['etag'], file.headers?.['last-modified']];
  if (match === null || (condition !== undefined && !validators.includes(condition))) {
    return undefined;
  }
  const end = match[2] === '' ? file.bytes.length - 1 : Number(match[2]);
  return { start: Number(match[1]), end };
}

function frame(
  headers: Readonly<Record<string, string>>,
  length: number,
  fault: FileFault,
): Record<string, string> {
  const framing: Record<string, string> =
    fault.chunked === true
      ? { 'transfer-encoding': 'chunked' }
      : fault.contentLength === ''
        ? { connection: 'close' }
        : { 'content-length': fault.contentLength ?? String(length) };
  return { ...headers, ...framing, ...fault.headers };
}

async function sendBody(
  exchange: HostileExchange,
  body: Uint8Array,
  fault: FileFault,
): Promise<void> {
  const whole =
    fault.surplus === undefined ? body : Buffer.concat([body, Buffer.alloc(fault.surplus, '!')]);
  const stopAt = Math.min(
    fault.resetAfter ?? whole.length,
    fault.cutAfter ?? whole.length,
    whole.length,
  );
  const step = fault.dripBytes ?? 64 * 1024;
  for (let position = 0; position < stopAt; position += step) {
    const piece = whole.subarray(position, Math.min(position + step, stopAt));
    if (fault.chunked === true) {
      await exchange.write(`${piece.length.toString(16)}\r\n`);
    }
    const isTaken = await exchange.write(piece);
    if (fault.chunked === true) {
      await exchange.write('\r\n');
    }
    if (!isTaken || (fault.dripBytes !== undefined && !(await exchange.pause(1)))) {
      return;
    }
  }
  if (fault.resetAfter !== undefined && stopAt < whole.length) {
    // Gives what was written a chance to arrive: a reset throws away what is still on its way.
    await exchange.pause(5);
    exchange.reset();
  } else if (fault.cutAfter !== undefined && stopAt < whole.length) {
    exchange.end();
  } else if (fault.chunked === true) {
    await exchange.write('0\r\n\r\n');
  }
}

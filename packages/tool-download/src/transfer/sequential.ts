import type { HttpResponse } from '@toolwright/core';
import { parseContentRange, unsatisfiedTotal } from './content-range.ts';
import { interrupted, protocolError, statusError } from './failures.ts';
import type { FileSink } from './file-sink.ts';
import type { RemoteFile } from './probe.ts';
import { withRetries } from './retry.ts';
import { sendRange } from './transfer-context.ts';
import type { TransferContext } from './transfer-context.ts';

/**
 * Fetches a file over one connection, from where the sink stands. An interrupted body goes on by range when the file has a strong
 * validator, and begins again when it has none or when the server does not continue exactly; three attempts in all.
 */
export async function fetchSequentially(
  context: TransferContext,
  file: RemoteFile,
  sink: FileSink,
): Promise<void> {
  await withRetries(context, async (attempt) => {
    if (sink.written > 0 && file.validator === undefined) {
      await sink.restart();
    }
    const waiting = attempt === 1 ? file.whole : undefined;
    if (waiting !== undefined) {
      await sink.restart();
      await pour(waiting, file.total, sink);
      return;
    }
    await fetchOnce(context, file, sink);
  });
}

async function fetchOnce(
  context: TransferContext,
  file: RemoteFile,
  sink: FileSink,
): Promise<void> {
  if (sink.written > 0 && (await continueFile(context, file, sink))) {
    return;
  }
  await sink.restart();
  const response = await sendRange(context, { url: file.url });
  if (response.status !== 200) {
    await response.cancel();
    throw statusError(response, context.now());
  }
  await pour(response, file.total, sink);
}

/** Asks for the rest. True when the file is complete; false when it has to be fetched from the start. */
async function continueFile(
  context: TransferContext,
  file: RemoteFile,
  sink: FileSink,
): Promise<boolean> {
  if (file.validator === undefined || (file.total !== undefined && sink.written > file.total)) {
    return false;
  }
  const response = await sendRange(context, {
    url: file.url,
    range: { position: sink.written },
    validator: file.validator,
  });
  const range = parseContentRange(response.headers['content-range']);
  if (response.status === 200) {
    // The file has changed, or the server ignores ranges: this answer is the whole.
    await sink.restart();
    await pour(response, file.total, sink);
    return true;
  }
  if (response.status === 206 && range !== undefined && isRest(range, file, sink)) {
    await pour(response, range.end + 1, sink);
    return true;
  }
  await response.cancel();
  if (response.status === 416) {
    return unsatisfiedTotal(response.headers['content-range']) === sink.written;
  }
  if (response.status !== 206) {
    throw statusError(response, context.now());
  }
  return false;
}

/** Whether a part is the rest that was asked for, of the same file. A coding of its own makes its offsets meaningless. */
function isRest(
  range: { readonly start: number; readonly end: number; readonly total: number | undefined },
  file: RemoteFile,
  sink: FileSink,
): boolean {
  const total = range.total ?? file.total;
  const isSameFile = file.total === undefined || total === file.total;
  const reachesEnd = total === undefined || range.end + 1 === total;
  return range.start === sink.written && isSameFile && reachesEnd;
}

/** Appends a body and checks that the file is then as long as it should be. */
async function pour(
  response: HttpResponse,
  total: number | undefined,
  sink: FileSink,
): Promise<void> {
  try {
    for await (const chunk of response.body) {
      if (total !== undefined && sink.written + chunk.length > total) {
        throw protocolError(
          `The server sent more than the ${String(total)} bytes it had announced.`,
        );
      }
      await sink.append(chunk);
    }
  } finally {
    await response.cancel();
  }
  if (total !== undefined && sink.written < total) {
    throw interrupted(`The server sent ${String(sink.written)} of ${String(total)} bytes.`);
  }
}

import type { HttpResponse } from '@toolwright/core';
import { parseContentRange, unsatisfiedTotal } from './content-range.ts';
import { interrupted, protocolError, statusError } from './failures.ts';
import type { FileSink } from './file-sink.ts';
import { describeWhole } from './probe.ts';
import type { RemoteFile } from './probe.ts';
import { withRetries } from './retry.ts';
import { sendRange } from './transfer-context.ts';
import type { TransferContext } from './transfer-context.ts';
import { namesOtherVersion } from './validator.ts';

/**
 * Fetches a file over one connection, from where the sink stands. An interrupted body goes on by range when its version has a strong
 * validator, and begins again when it has none or when the server does not continue exactly; three attempts in all. When the file changes
 * meanwhile, the new version is taken, whole. Returns what was fetched.
 */
export async function fetchSequentially(
  context: TransferContext,
  file: RemoteFile,
  sink: FileSink,
): Promise<RemoteFile> {
  return withRetries(context, async (attempt) => {
    const rest = await continueFile(context, file, sink);
    if (rest !== undefined) {
      return rest;
    }
    const waiting = attempt === 1 ? file.whole : undefined;
    if (waiting !== undefined) {
      return takeWhole(waiting, file, sink);
    }
    const response = await sendRange(context, { url: file.url });
    if (response.status !== 200) {
      await response.cancel();
      throw statusError(response, context.now());
    }
    return takeWhole(response, file, sink);
  });
}

/** Asks for the rest of what is there. `undefined` when the file has to be fetched from the start. */
async function continueFile(
  context: TransferContext,
  file: RemoteFile,
  sink: FileSink,
): Promise<RemoteFile | undefined> {
  const { validator } = sink;
  const isProbed = validator !== undefined && validator === file.validator;
  if (sink.written === 0 || !isProbed || (file.total !== undefined && sink.written > file.total)) {
    return undefined;
  }
  const response = await sendRange(context, {
    url: file.url,
    range: { position: sink.written },
    validator,
  });
  if (response.status === 200) {
    // The file has changed, or the server ignores ranges: this answer is the whole.
    return takeWhole(response, file, sink);
  }
  const range = parseContentRange(response.headers['content-range']);
  if (response.status === 206 && range !== undefined && isRest(range, file, sink)) {
    const isCoded = (response.headers['content-encoding'] ?? 'identity') !== 'identity';
    if (!isCoded && !namesOtherVersion(response.headers, validator)) {
      await pour(response, range.end + 1, sink);
      return file;
    }
  }
  await response.cancel();
  if (response.status === 416) {
    const isWhole = unsatisfiedTotal(response.headers['content-range']) === sink.written;
    return isWhole && !namesOtherVersion(response.headers, validator) ? file : undefined;
  }
  if (response.status !== 206) {
    throw statusError(response, context.now());
  }
  return undefined;
}

/** Whether a part is the rest that was asked for, of the same file. */
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

/** Takes a whole response, of whichever version it is. */
async function takeWhole(
  response: HttpResponse,
  file: RemoteFile,
  sink: FileSink,
): Promise<RemoteFile> {
  const fetched = describeWhole(response, file);
  await sink.restart(fetched.validator);
  await pour(response, fetched.total, sink);
  return fetched;
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

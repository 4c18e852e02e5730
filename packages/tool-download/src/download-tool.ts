import { createHash } from 'node:crypto';
import { defineTool, netEffect, ToolError, toSourceAnchor } from '@toolwright/core';
import type {
  Effect,
  JsonObject,
  StagedFile,
  Tool,
  ToolContext,
  ToolOutput,
  WriteTransaction,
} from '@toolwright/core';
import { inferFileName } from './name/infer-file-name.ts';
import { FileSink } from './transfer/file-sink.ts';
import { probe } from './transfer/probe.ts';
import type { RemoteFile } from './transfer/probe.ts';
import { ProgressMeter } from './transfer/progress-meter.ts';
import type { TransferContext } from './transfer/transfer-context.ts';
import { transferFile } from './transfer/transfer-file.ts';
import type { TransferOutcome } from './transfer/transfer-file.ts';

/** What `download` is called with, defaults applied. */
interface DownloadInput {
  readonly url: string;
  readonly file_path?: string;
  readonly overwrite: boolean;
  readonly connections?: number;
  readonly max_bytes: number;
  readonly timeout: number;
  readonly expected_sha256?: string;
  readonly resume: boolean;
}

type DownloadContext = ToolContext<'http' | 'files.write' | 'local'>;

/** Makes the `download` tool. `retryDelayMs` is the wait before the first retry, doubled for the next. */
export function createDownloadTool(options: { readonly retryDelayMs: number }): Tool {
  return defineTool({
    name: 'download',
    title: 'Download a file',
    description:
      'Downloads a file from an http or https URL into the workspace, byte for byte, whatever its type or size. Use it for archives, binaries, data sets, PDFs and images that are to be kept as files; to read a web page or a document use web_fetch instead. Only public addresses can be reached. Nothing is written unless the whole file arrived: the target appears in one step, or stays as it was.',
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['url'],
      properties: {
        url: {
          type: 'string',
          minLength: 1,
          description: 'The http or https URL, without user name or password.',
        },
        file_path: {
          type: 'string',
          minLength: 1,
          description:
            "Where to put the file, relative to the workspace. Default: the server's name for it, in the workspace's root.",
        },
        overwrite: {
          type: 'boolean',
          default: false,
          description: 'Replace an existing file. Default false: an existing file is an error.',
        },
        connections: {
          type: 'integer',
          minimum: 1,
          maximum: 4,
          'x-clamp': true,
          description:
            'Connections to use side by side, 1 to 4. Default: by size. Servers without ranges get one.',
        },
        max_bytes: {
          type: 'integer',
          minimum: 1,
          maximum: 8_589_934_592,
          default: 536_870_912,
          'x-clamp': true,
          description: 'Largest size accepted, in bytes. Default 512 MiB, at most 8 GiB.',
        },
        timeout: {
          type: 'integer',
          minimum: 1,
          maximum: 3600,
          default: 300,
          'x-clamp': true,
          description: 'Seconds for the whole download. Default 300, at most 3600.',
        },
        expected_sha256: {
          type: 'string',
          pattern: '^[0-9A-Fa-f]{64}$',
          description:
            'The SHA-256 that the file must have, 64 hex digits; another file is refused and nothing is written.',
        },
        resume: {
          type: 'boolean',
          default: false,
          description:
            'Keep what arrived when the download breaks off, and go on from there when it is called again with the same url, file_path and resume. Uses one connection.',
        },
      },
    },
    examples: [
      { url: 'https://example.com/data/archive.tar.gz' },
      {
        url: 'https://example.com/tool.bin',
        file_path: 'vendor/tool.bin',
        overwrite: true,
        expected_sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      },
    ],
    keywords: ['fetch', 'save', 'wget', 'curl', 'file', 'archive'],
    requires: ['http', 'files.write', 'local'],
    capabilities: { cancellationSafe: true, outputKind: 'mixed' },
    timeoutMs: (input) => input.timeout * 1000,
    effects: (input) => [
      netEffect(input.url),
      ...(input.file_path === undefined ? [] : [writeEffect(input.file_path)]),
    ],
    run: async (input, context) => runDownload(input, context, options.retryDelayMs),
  });
}

async function runDownload(
  input: DownloadInput,
  context: DownloadContext,
  retryDelayMs: number,
): Promise<ToolOutput> {
  const transfer: TransferContext = {
    http: context.http,
    signal: context.signal,
    deadlineMs: context.now() + context.limits.deadlineMs,
    maxBytes: input.max_bytes,
    retryDelayMs,
    now: () => context.now(),
  };
  if (input.file_path !== undefined) {
    await checkTarget(input.file_path, input, context);
  }
  const file = await probe(transfer, input.url);
  try {
    const path = input.file_path ?? (await admitInferredName(file, input, context));
    return await downloadTo(path, file, { input, context, transfer });
  } finally {
    await file.whole?.cancel();
  }
}

async function admitInferredName(
  file: RemoteFile,
  input: DownloadInput,
  context: DownloadContext,
): Promise<string> {
  const name = inferFileName({
    contentDisposition: file.contentDisposition,
    urls: [file.url, input.url],
  });
  await context.admit(writeEffect(name));
  return name;
}

/** Finds out before anything is fetched that the target cannot be written. */
async function checkTarget(
  path: string,
  input: DownloadInput,
  context: DownloadContext,
): Promise<void> {
  const transaction = await context.workspace.writer.begin({ signal: context.signal });
  try {
    await stageTarget(transaction, path, { input });
  } finally {
    await transaction.rollback();
  }
}

async function downloadTo(
  path: string,
  file: RemoteFile,
  job: {
    readonly input: DownloadInput;
    readonly context: DownloadContext;
    readonly transfer: TransferContext;
  },
): Promise<ToolOutput> {
  const { input, context, transfer } = job;
  const transaction = await context.workspace.writer.begin({ signal: context.signal });
  // What arrived is worth keeping only while nothing says that it is wrong.
  let keep = (): boolean => false;
  let settle = async (): Promise<void> => {};
  try {
    const resumeKey = input.resume ? toResumeKey(path, file, input.url) : undefined;
    const staged = await stageTarget(transaction, path, { input, resumeKey });
    const meter = new ProgressMeter({
      total: file.total,
      initial: staged.initialSize,
      now: () => context.now(),
      report: (progress) => {
        context.progress(progress);
      },
    });
    const sink = new FileSink(staged, {
      maxBytes: input.max_bytes,
      validator: file.validator,
      onBytes: (count) => {
        meter.add(count);
      },
    });
    settle = async () => sink.settle();
    keep = () => resumeKey !== undefined && sink.validator === file.validator;
    const outcome = await transferFile(transfer, file, {
      sink,
      connections: input.resume ? 1 : input.connections,
    });
    keep = () => false;
    meter.finish();
    const sha256 = await checkDigest(sink, input.expected_sha256);
    const [change] = await promote(transaction, path, input);
    return toOutput({
      file: outcome.file,
      input,
      outcome,
      path: change?.path ?? path,
      bytes: sink.written,
      overwritten: change?.action === 'modified',
      resumedFrom: sink.resumedFrom,
      sha256,
    });
  } finally {
    await settle();
    await transaction.rollback({ keep: keep() });
  }
}

async function stageTarget(
  transaction: WriteTransaction,
  path: string,
  options: { readonly input: DownloadInput; readonly resumeKey?: string | undefined },
): Promise<StagedFile> {
  const { input, resumeKey } = options;
  try {
    return await transaction.stageFile({
      path,
      expected: { kind: input.overwrite ? 'any' : 'absent' },
      ...(resumeKey === undefined ? {} : { resumeKey }),
    });
  } catch (error) {
    throw toTargetError(error, path, input);
  }
}

async function promote(transaction: WriteTransaction, path: string, input: DownloadInput) {
  try {
    return await transaction.promoteAll();
  } catch (error) {
    throw toTargetError(error, path, input);
  }
}

/** A target that exists is told as such: the caller did not ask for a version. */
function toTargetError(error: unknown, path: string, input: DownloadInput): unknown {
  if (input.overwrite || !ToolError.isInstance(error) || error.type !== 'version_conflict') {
    return error;
  }
  return new ToolError(
    'invalid_argument',
    `${JSON.stringify(path)} exists already; pass overwrite: true to replace it, or another file_path.`,
    { reason: 'already_exists', fields: { path }, cause: error },
  );
}

/** The digest of the file where the caller asked for one. Errors: `transport`/`integrity`. */
async function checkDigest(
  sink: FileSink,
  expected: string | undefined,
): Promise<string | undefined> {
  const actual = await sink.finish();
  if (expected !== undefined && actual !== expected.toLowerCase()) {
    throw new ToolError(
      'transport',
      'The downloaded file does not have the expected SHA-256; nothing was written. Check the URL and the digest.',
      {
        reason: 'integrity',
        fields: { expected: expected.toLowerCase(), actual },
      },
    );
  }
  return expected === undefined ? undefined : actual;
}

/** Names bytes of exactly this version of the file, so that a later call can only go on with what fits. */
function toResumeKey(path: string, file: RemoteFile, url: string): string | undefined {
  if (file.validator === undefined || !file.hasRanges) {
    return undefined;
  }
  const parts = JSON.stringify([url, path, file.validator, file.total]);
  return createHash('sha256').update(parts).digest('hex');
}

function toOutput(done: {
  readonly file: RemoteFile;
  readonly input: DownloadInput;
  readonly outcome: TransferOutcome;
  readonly path: string;
  readonly bytes: number;
  readonly overwritten: boolean;
  readonly resumedFrom: number;
  readonly sha256: string | undefined;
}): ToolOutput {
  const { file, outcome, path, bytes } = done;
  const first = toSourceAnchor(done.input.url);
  const last = toSourceAnchor(file.url);
  const metadata: JsonObject = {
    file_path: path,
    bytes,
    content_type: file.contentType ?? null,
    strategy: outcome.strategy,
    connections: outcome.connections,
    range_supported: file.hasRanges,
    overwritten: done.overwritten,
    resumed_from: done.resumedFrom,
    source_anchors: first === last ? [first] : [first, last],
    ...(done.sha256 === undefined ? {} : { sha256: done.sha256 }),
    ...(file.contentEncoding === undefined ? {} : { content_encoding: file.contentEncoding }),
  };
  const lines = [`Downloaded ${last} to ${JSON.stringify(path)}: ${String(bytes)} bytes.`];
  if (done.sha256 !== undefined) {
    lines.push(`SHA-256 ${done.sha256}, as expected.`);
  }
  if (file.contentEncoding !== undefined) {
    lines.push(
      `The file is stored as the server sent it, with the coding ${file.contentEncoding}.`,
    );
  }
  if (file.total === undefined && done.sha256 === undefined) {
    lines.push(
      'The server named no length and no digest was given: whether the file is whole could not be verified.',
    );
  }
  return { output: lines.join('\n'), metadata, trust: 'external' };
}

function writeEffect(path: string): Effect {
  return { kind: 'write', target: path };
}

import { isArtifactUri, sha256Hex, ToolError } from '@toolwright/core';
import type { FileReader, ToolContext } from '@toolwright/core';
import {
  isDocumentError,
  notebookToText,
  pdfToText,
  readImageInfo,
  SIGNATURE_BYTES,
  sniffMediaType,
} from '@toolwright/documents';
import type { ImageInfo } from '@toolwright/documents';
import { toToolError } from '../document-failure.ts';
import { memorySource, readAhead } from './byte-source.ts';
import type { ByteSource } from './byte-source.ts';
import { scanBuffers } from './scan-buffers.ts';
import { scanCache } from './scan-cache.ts';
import type { CachedScan } from './scan-cache.ts';
import { SCAN_CHUNK_BYTES, scanText } from './scan-text.ts';
import type { TextScan } from './scan-text.ts';
import { expectedBytes } from './text-window.ts';

/** The context that reading needs. */
export type ReadContext = ToolContext<'files.read'>;

/** A file as `read` shows it: text in windows, or an image. */
export type OpenDocument = OpenText | OpenImage;

/** Text of a file, of an artifact, or taken out of a document. */
export interface OpenText {
  readonly kind: 'text';
  /** The real workspace path, or the artifact's URI. */
  readonly path: string;
  /** What the text was taken from. */
  readonly document: 'text' | 'pdf' | 'notebook';
  /** Of the file's bytes, not of text taken out of them. */
  readonly sha256: string;
  readonly scan: TextScan;
  readonly source: ByteSource;
}

/** An image with its bytes. */
export interface OpenImage extends ImageInfo {
  readonly kind: 'image';
  readonly path: string;
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** Bounds of what is opened. */
export interface OpenLimits {
  /** Bytes of an image that is handed to the model. */
  readonly maxImageBytes: number;
}

/** Largest file that is scanned, in bytes: digest and line count need every byte once. */
export const MAX_SCAN_BYTES = 8_589_934_592;
/** Largest notebook or PDF that is turned into text, in bytes. */
export const MAX_DOCUMENT_BYTES = 67_108_864;

/** Largest file that is read although it says that it is empty, in bytes. */
const MAX_UNTOLD_BYTES = 4_194_304;
/** Bytes that are read at once for a window, at most. */
const MAX_WINDOW_BLOCK_BYTES = 262_144;

const chunkBuffers = scanBuffers(SCAN_CHUNK_BYTES);

/**
 * Opens a path for reading, hands it to `use`, and closes it. The scan of a text (digest, encoding, line index) is kept
 * for the session under the file's stat token, so that the next window costs only itself.
 *
 * @throws {ToolError} What the workspace says; `unsupported` for binary content, other encodings, damaged documents;
 * `limit_exceeded` for an image or a document over its bound.
 */
export async function withDocument<T>(
  context: ReadContext,
  request: { readonly path: string; readonly limits: OpenLimits; readonly lines: number },
  use: (document: OpenDocument) => Promise<T>,
): Promise<T> {
  const { path } = request;
  try {
    if (isArtifactUri(path)) return await use(await openArtifact(context, path));
    // Before the reader is there: a call that has ended has no resources, and would leave it open.
    const buffers = context.resource(chunkBuffers);
    const reader = await context.workspace.files.openRead(path, { signal: context.signal });
    let chunk: Uint8Array | undefined;
    try {
      const memory = (): Uint8Array => (chunk ??= buffers.take());
      return await use(await openFile(context, reader, { ...request, memory }));
    } finally {
      await reader.close();
      if (chunk !== undefined) buffers.give(chunk);
    }
  } catch (error) {
    throw toToolError(error, path);
  }
}

async function openArtifact(context: ReadContext, uri: string): Promise<OpenText> {
  const info = await context.artifacts.stat(uri);
  const cache = context.resource(scanCache);
  const source: ByteSource = {
    size: info.bytes,
    read: (start, length) => context.artifacts.read(uri, { start, length }),
  };
  const known = cache.get(uri, info.sha256);
  const scan = known?.scan ?? (await scanOrExplain(source, uri, context.signal)).scan;
  if (known === undefined) cache.set(uri, { token: info.sha256, document: 'text', scan });
  return { kind: 'text', path: uri, document: 'text', sha256: info.sha256, scan, source };
}

async function openFile(
  context: ReadContext,
  reader: FileReader,
  {
    limits,
    lines,
    memory,
  }: { readonly limits: OpenLimits; readonly lines: number; readonly memory: () => Uint8Array },
): Promise<OpenDocument> {
  const { path, size, token } = reader.stat;
  const cache = context.resource(scanCache);
  const file: ByteSource = {
    size,
    read: (start, length) =>
      reader.read(start, Math.min(length, Math.max(0, size - start)), { signal: context.signal }),
  };
  const known = cache.get(path, token);
  if (known !== undefined) return fromCache(path, known, { file, lines });
  if (size > MAX_SCAN_BYTES) throw tooLarge(path, size, MAX_SCAN_BYTES);
  const untold = size === 0 ? await readUntold(reader, context.signal) : undefined;
  if (untold !== undefined) {
    const source = memorySource(untold);
    const { scan } = await scanOrExplain(source, path, context.signal);
    return { kind: 'text', path, document: 'text', sha256: scan.sha256, scan, source };
  }
  const head = await reader.read(0, Math.min(size, SCAN_CHUNK_BYTES), {
    signal: context.signal,
    into: memory(),
  });
  const kind = sniffMediaType(head.subarray(0, SIGNATURE_BYTES))?.kind;
  if (kind === 'image') {
    if (size > limits.maxImageBytes) throw tooLarge(path, size, limits.maxImageBytes);
    const bytes = await restOf(file, head);
    const info = await readImageInfo(bytes);
    if (info !== undefined) {
      return { kind: 'image', path, sha256: sha256Hex(bytes), bytes, ...info };
    }
  }
  if (kind === 'pdf' || path.toLowerCase().endsWith('.ipynb')) {
    if (size > MAX_DOCUMENT_BYTES) throw tooLarge(path, size, MAX_DOCUMENT_BYTES);
    const bytes = await restOf(file, head);
    const taken = await takeText(bytes, kind === 'pdf' ? 'pdf' : 'notebook', context.signal);
    if (taken !== undefined) {
      const entry: CachedScan = { token, ...taken };
      cache.set(path, entry);
      return fromCache(path, entry, { file, lines });
    }
  }
  const { scan } = await scanOrExplain(startingWith(head, file), path, context.signal);
  if (settled(reader.stat.mtimeMs, context.now())) {
    cache.set(path, { token, document: 'text', scan });
  }
  const source = head.length === size ? memorySource(head) : windowSource(file, scan, lines);
  return { kind: 'text', path, document: 'text', sha256: scan.sha256, scan, source };
}

/** What a file holds that says it is empty and is not, as those of /proc are; `undefined` for an empty one. */
async function readUntold(
  reader: FileReader,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const chunk = await reader.read(length, MAX_UNTOLD_BYTES, { signal });
    if (chunk.length === 0) return length === 0 ? undefined : Buffer.concat(chunks);
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_UNTOLD_BYTES) throw tooLarge(reader.stat.path, length, MAX_UNTOLD_BYTES);
  }
}

/** Text of a document; `undefined` for a damaged notebook, which is JSON text that someone may have to mend. */
async function takeText(
  bytes: Uint8Array,
  document: 'pdf' | 'notebook',
  signal: AbortSignal,
): Promise<Omit<CachedScan, 'token'> | undefined> {
  let taken: string;
  try {
    taken =
      document === 'pdf'
        ? (await pdfToText(bytes, { signal })).text
        : notebookToText(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    if (document === 'notebook' && isDocumentError(error)) return undefined;
    throw error;
  }
  const text = Buffer.from(taken, 'utf8');
  const { scan } = await scanText(memorySource(text), signal);
  return { document, scan, taken: { text, sha256: sha256Hex(bytes) } };
}

/** Scans, and names the format where a file turns out to be binary. */
async function scanOrExplain(
  source: ByteSource,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly scan: TextScan }> {
  try {
    return await scanText(source, signal);
  } catch (error) {
    if (!isDocumentError(error) || error.code !== 'binary') throw error;
    const head = await source.read(0, SIGNATURE_BYTES);
    const mediaType = sniffMediaType(head)?.type ?? 'application/octet-stream';
    throw new ToolError(
      'unsupported',
      `${JSON.stringify(path)} is binary (${mediaType}, ${source.size} bytes) and is not shown as text.`,
      { reason: 'binary', fields: { path, media_type: mediaType, bytes: source.size } },
    );
  }
}

function fromCache(
  path: string,
  known: CachedScan,
  { file, lines }: { readonly file: ByteSource; readonly lines: number },
): OpenText {
  const { document, scan, taken } = known;
  return {
    kind: 'text',
    path,
    document,
    sha256: taken?.sha256 ?? scan.sha256,
    scan,
    source: taken === undefined ? windowSource(file, scan, lines) : memorySource(taken.text),
  };
}

/** A source whose first read holds the way from the last known line and, most often, the whole window. */
function windowSource(file: ByteSource, scan: TextScan, lines: number): ByteSource {
  const block = scan.index.strideBytes + expectedBytes(scan, lines);
  return readAhead(file, Math.min(block, MAX_WINDOW_BLOCK_BYTES));
}

/**
 * Whether a later change must show in the token: a file changed again within the clock's step keeps its times. File
 * systems that count whole seconds are given three of them.
 */
function settled(mtimeMs: number, now: number): boolean {
  const stepMs = mtimeMs % 1000 === 0 ? 3_000 : 50;
  return now - mtimeMs > stepMs;
}

/** The same source, with the first bytes at hand already. */
function startingWith(head: Uint8Array, source: ByteSource): ByteSource {
  return {
    size: source.size,
    read: (start, length) =>
      start + length <= head.length || head.length === source.size
        ? Promise.resolve(head.subarray(start, start + length))
        : source.read(start, length),
  };
}

async function restOf(source: ByteSource, head: Uint8Array): Promise<Uint8Array> {
  if (head.length >= source.size) return head;
  const rest = await source.read(head.length, source.size - head.length);
  return Buffer.concat([head, rest]);
}

function tooLarge(path: string, size: number, bound: number): ToolError {
  return new ToolError(
    'limit_exceeded',
    `${JSON.stringify(path)} has ${size} bytes; at most ${bound} can be read.`,
    { reason: 'too_large', fields: { path } },
  );
}

import {
  compareUtf8,
  ToolError,
  type GrepFile,
  type GrepOutcome,
  type GrepRequest,
  type WorkspaceFiles,
  type WorkspaceSearch,
} from '@toolwright/core';
import { decodeDocument, isDocumentError } from '@toolwright/documents';
import type { SearchInput } from './search-input.ts';

/** Files that one search decodes, and their bytes, at most. */
const maxFiles = 256;
const maxFileBytes = 8 * 1024 * 1024;
const maxTotalBytes = 32 * 1024 * 1024;

/** What a search needs of a workspace. */
interface Services {
  readonly files: WorkspaceFiles;
  readonly search: WorkspaceSearch;
}

/**
 * Of which files that are no UTF-8 a search wants to know: of all when the query has characters beyond ASCII, whose bytes
 * differ from encoding to encoding, else of those whose lines are shown.
 */
export function aboutUndecoded(input: SearchInput): Pick<GrepRequest, 'undecoded'> {
  const { query, literal = false, output_mode: outputMode = 'content' } = input;
  const isBeyondAscii = /[^\0-\u007f]/.test(query) || (!literal && /\\[pPux]/.test(query));
  if (isBeyondAscii) return { undecoded: 'all' };
  return outputMode === 'content' ? { undecoded: 'matched' } : {};
}

/** The outcome with files in legacy encodings searched as text, in place of what their bytes gave. */
export async function withDecoded(
  outcome: GrepOutcome,
  request: GrepRequest,
  services: Services,
): Promise<GrepOutcome> {
  const paths = outcome.undecoded ?? [];
  if (paths.length === 0) return outcome;
  const deadlineAt = performance.now() + request.timeoutMs;
  const files = new Map(outcome.files.map((file) => [file.path, file]));
  const notSearched = [...outcome.notSearched];
  const budget = { files: maxFiles, bytes: maxTotalBytes };
  let truncated = outcome.truncated;
  for (const path of paths) {
    request.signal?.throwIfAborted();
    const timeoutMs = deadlineAt - performance.now();
    const found = await searchDecoded(path, { ...request, timeoutMs }, { services, budget });
    if (found === undefined) continue;
    files.delete(path);
    for (const file of found.files) files.set(path, file);
    notSearched.push(...found.notSearched);
    truncated ||= found.truncated;
  }
  const merged = [...files.values()].toSorted((a, b) => compareUtf8(a.path, b.path));
  const { limit, context } = request;
  const page = cutToPage(merged, outcome, { decoded: new Set(paths), limit, context });
  const matchingLines = merged.reduce((sum, file) => sum + file.matchingLines, 0);
  return { ...page, matchingLines, truncated, notSearched };
}

/** What was found in one file as text; undefined where what its bytes gave must do. */
async function searchDecoded(
  path: string,
  request: GrepRequest,
  use: { readonly services: Services; readonly budget: { files: number; bytes: number } },
): Promise<GrepOutcome | undefined> {
  const { services, budget } = use;
  const left = (reason: string): GrepOutcome => ({
    files: [],
    matchingLines: 0,
    more: false,
    truncated: reason === 'deadline',
    notSearched: [{ path, reason }],
  });
  if (request.timeoutMs <= 0) return left('deadline');
  const bytes = await readWhole(path, request, services.files);
  if (bytes === undefined) return left('unreadable');
  if (bytes.length > maxFileBytes || bytes.length > budget.bytes || budget.files === 0) {
    return request.undecoded === 'all' ? left('encoding') : undefined;
  }
  budget.files -= 1;
  budget.bytes -= bytes.length;
  const content = await toUtf8(bytes);
  if (content === undefined) return request.undecoded === 'all' ? left('encoding') : undefined;
  return services.search.grepText({ ...onlyHere(path, request), name: path, content });
}

/** The request for one file: rows that were given out before are not given again. */
function onlyHere(path: string, { after, ...request }: GrepRequest): GrepRequest {
  const order = after === undefined ? 1 : compareUtf8(path, after.path);
  if (order < 0) return { ...request, gather: 'counts', limit: 0 };
  return order === 0 && after !== undefined ? { ...request, after } : request;
}

async function readWhole(
  path: string,
  { signal }: GrepRequest,
  files: WorkspaceFiles,
): Promise<Uint8Array | undefined> {
  const options = signal === undefined ? {} : { signal };
  try {
    const reader = await files.openRead(path, options);
    try {
      return await reader.read(0, maxFileBytes + 1, options);
    } finally {
      await reader.close();
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (ToolError.isInstance(error)) return undefined;
    throw error;
  }
}

/** The text as UTF-8; for UTF-8 with stray bytes the bytes as they are; undefined where no encoding is known. */
async function toUtf8(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const { text, encoding } = await decodeDocument(bytes);
    return encoding === 'utf-8' ? bytes : Buffer.from(text, 'utf8');
  } catch (error) {
    if (isDocumentError(error)) return undefined;
    throw error;
  }
}

/** Cuts the rows to the limit; after the place where the scan was cut there are none, also of decoded files. */
function cutToPage(
  files: readonly GrepFile[],
  outcome: GrepOutcome,
  options: {
    readonly decoded: ReadonlySet<string>;
    readonly limit: number;
    readonly context: number;
  },
): Pick<GrepOutcome, 'files' | 'more'> {
  const lastShown = outcome.more
    ? outcome.files.findLast((file) => file.lines.length > 0)?.path
    : undefined;
  let { more } = outcome;
  let left = options.limit;
  const cut = files.map((file) => {
    const isBeyond = lastShown !== undefined && compareUtf8(file.path, lastShown) > 0;
    if (isBeyond && options.decoded.has(file.path)) return { ...file, lines: [] };
    const matches = file.lines.flatMap(({ match }, index) => (match ? [index] : []));
    if (matches.length <= left) {
      left -= matches.length;
      return file;
    }
    more = true;
    const lines = left === 0 ? [] : upToMatch(file.lines, matches[left - 1] ?? 0, options.context);
    left = 0;
    return { ...file, lines };
  });
  return { files: cut, more };
}

/** Rows up to a match, and its context after it. */
function upToMatch(lines: GrepFile['lines'], match: number, context: number): GrepFile['lines'] {
  const lastLine = (lines[match]?.line ?? 0) + context;
  let end = match + 1;
  while (lines[end]?.match === false && (lines[end]?.line ?? Infinity) <= lastLine) end += 1;
  return lines.slice(0, end);
}

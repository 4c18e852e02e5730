import {
  isArtifactUri,
  ToolError,
  type GrepFile,
  type GrepOutcome,
  type GrepRequest,
  type JsonObject,
  type ToolOutput,
} from '@toolwright/core';
import { renderContent, type ContentPage } from './grep-content.ts';
import { aboutUndecoded, withDecoded } from './legacy-files.ts';
import { renderNotSearched } from './not-searched.ts';
import { cursorOfPlace, placeOfCursor, placePage, type Place } from './place-cursor.ts';
import {
  defaultLimit,
  defaultTimeoutMs,
  footerBytes,
  maxAnchors,
  requestedLimit,
  type SearchContext,
  type SearchInput,
} from './search-input.ts';
import { showName } from './show-name.ts';

/** An artifact larger than this is not searched. */
const maxArtifactBytes = 64 * 1024 * 1024;
const artifactPieceBytes = 1 << 20;

/** Searches file contents by a regular expression or plain text. */
export async function grepMode(input: SearchInput, context: SearchContext): Promise<ToolOutput> {
  const outputMode = input.output_mode ?? 'content';
  const path = input.path ?? '';
  const query = queryOf(input, path, outputMode);
  const place = placeOfCursor(input.cursor, query);
  const isContent = outputMode === 'content';
  const limit = input.limit ?? defaultLimit;
  const outcome = await scan(context, path, {
    pattern: input.query,
    literal: input.literal ?? false,
    caseSensitive: input.case_sensitive ?? true,
    multiline: input.multiline ?? false,
    path,
    ...(input.include === undefined ? {} : { include: input.include }),
    hidden: input.hidden ?? true,
    ignore: !(input.no_ignore ?? false),
    ...aboutUndecoded(input),
    gather: isContent ? 'lines' : 'counts',
    context: input.context ?? 0,
    limit: isContent ? limit : 0,
    ...(isContent && place !== undefined ? { after: place } : {}),
    timeoutMs: input.timeout ?? defaultTimeoutMs,
    signal: context.signal,
  });
  const answer: Answer = { input, context, outcome, query, place, limit };
  if (isContent) return contentAnswer(answer);
  if (outputMode === 'summary') return summaryAnswer(answer);
  return pathsAnswer(answer, outputMode);
}

/** Everything that makes the list: a cursor is good for the same alone. */
function queryOf(input: SearchInput, path: string, outputMode: string): string {
  const { query, include, context, multiline, literal, hidden } = input;
  const options = [include, context, input.case_sensitive, multiline, literal, hidden];
  return JSON.stringify(['grep', path, query, outputMode, input.no_ignore, options]);
}

interface Answer {
  readonly input: SearchInput;
  readonly context: SearchContext;
  readonly outcome: GrepOutcome;
  readonly query: string;
  readonly place: Place | undefined;
  readonly limit: number;
}

async function scan(
  context: SearchContext,
  path: string,
  request: GrepRequest,
): Promise<GrepOutcome> {
  if (!isArtifactUri(path)) {
    const began = performance.now();
    const outcome = await context.workspace.search.grep(request);
    const timeoutMs = request.timeoutMs - (performance.now() - began);
    return withDecoded(outcome, { ...request, timeoutMs }, context.workspace);
  }
  const { bytes: size } = await context.artifacts.stat(path);
  if (size > maxArtifactBytes) {
    throw new ToolError(
      'limit_exceeded',
      `The artifact has ${size} bytes; at most ${maxArtifactBytes} can be searched. Read it by ranges instead.`,
    );
  }
  const content = new Uint8Array(size);
  for (let start = 0; start < size; start += artifactPieceBytes) {
    const range = { start, length: artifactPieceBytes };
    content.set(await context.artifacts.read(path, range), start);
  }
  return context.workspace.search.grepText({ ...request, name: path, content });
}

function contentAnswer(answer: Answer): ToolOutput {
  const { input, context, outcome, place, limit } = answer;
  const page: ContentPage = renderContent(outcome.files, {
    maxBytes: context.limits.maxOutputBytes - footerBytes,
    context: input.context ?? 0,
    after: place,
  });
  const offset = place?.offset ?? 0;
  const end = offset + page.matchingLines;
  const isCut = page.last !== undefined && (page.cut || outcome.more);
  const next = isCut && page.last !== undefined ? { offset: end, ...page.last } : undefined;
  const cursor = next === undefined ? null : cursorOfPlace(next, answer.query);
  const range = cursor === null ? '' : `lines ${offset + 1}-${end} of `;
  const goOn = cursor === null ? '' : `; go on with cursor ${JSON.stringify(cursor)}`;
  const note =
    outcome.matchingLines === 0 ? '[no matches]\n' : `[${range}${totals(outcome)}${goOn}]\n`;
  return {
    output: page.text + note + renderNotSearched(outcome.notSearched),
    structured: { matches: page.matches },
    metadata: metadataOf(answer, 'content', {
      page: {
        ...placePage(
          { requested: requestedLimit(context, limit), applied: limit },
          { offset, returned: page.matchingLines, total: outcome.matchingLines, next: cursor },
        ),
      },
    }),
  };
}

function summaryAnswer(answer: Answer): ToolOutput {
  const { outcome } = answer;
  const text = outcome.matchingLines === 0 ? 'no matches' : totals(outcome);
  return {
    output: `${text}\n${renderNotSearched(outcome.notSearched)}`,
    metadata: metadataOf(answer, 'summary', {}),
  };
}

function pathsAnswer(answer: Answer, outputMode: 'files_with_matches' | 'count'): ToolOutput {
  const { context, outcome, place, query, limit } = answer;
  const from = place === undefined ? 0 : indexAfter(outcome.files, place.path);
  const rows: string[] = [];
  let bytes = 0;
  for (const file of outcome.files.slice(from, from + limit)) {
    const count = outputMode === 'count' ? `: ${file.matchingLines}` : '';
    const row = `${showName(file.path)}${count}\n`;
    bytes += Buffer.byteLength(row);
    if (bytes > context.limits.maxOutputBytes - footerBytes && rows.length > 0) break;
    rows.push(row);
  }
  const offset = place?.offset ?? 0;
  const end = from + rows.length;
  const last = outcome.files[end - 1];
  const cursor =
    end < outcome.files.length && last !== undefined
      ? cursorOfPlace({ offset: offset + rows.length, path: last.path, line: 0 }, query)
      : null;
  const goOn =
    cursor === null
      ? ''
      : `[files ${offset + 1}-${offset + rows.length} of ${outcome.files.length}; go on with cursor ${JSON.stringify(cursor)}]\n`;
  const note = outcome.files.length === 0 ? '[no matches]\n' : goOn;
  return {
    output: rows.join('') + note + renderNotSearched(outcome.notSearched),
    metadata: metadataOf(answer, outputMode, {
      sort: 'path',
      page: {
        ...placePage(
          { requested: requestedLimit(context, limit), applied: limit },
          { offset, returned: rows.length, total: outcome.files.length, next: cursor },
        ),
      },
    }),
  };
}

/** The first file after a path; files are sorted by the bytes of their paths. */
function indexAfter(files: readonly GrepFile[], path: string): number {
  const bytes = Buffer.from(path, 'utf8');
  const index = files.findIndex((file) => Buffer.compare(Buffer.from(file.path), bytes) > 0);
  return index < 0 ? files.length : index;
}

function totals({ files, matchingLines, truncated }: GrepOutcome): string {
  const least = truncated ? 'at least ' : '';
  const lines = `${matchingLines} matching ${matchingLines === 1 ? 'line' : 'lines'}`;
  return `${least}${lines} in ${files.length} ${files.length === 1 ? 'file' : 'files'}`;
}

function metadataOf({ outcome }: Answer, outputMode: string, rest: JsonObject): JsonObject {
  return {
    mode: 'grep',
    output_mode: outputMode,
    search: {
      matching_lines: outcome.matchingLines,
      matching_files: outcome.files.length,
      truncated: outcome.truncated,
      not_searched: outcome.notSearched.map(({ path, reason }) => ({ path, reason })),
    },
    source_anchors: outcome.files.slice(0, maxAnchors).map(({ path }) => path),
    ...rest,
  };
}

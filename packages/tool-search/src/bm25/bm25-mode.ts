import {
  ToolError,
  type JsonObject,
  type SessionResource,
  type ToolOutput,
} from '@toolwright/core';
import { boundedNotSearched, renderNotSearched } from '../search/not-searched.ts';
import { searchDeadline } from '../search/search-deadline.ts';
import { placePage } from '../search/place-cursor.ts';
import {
  footerBytes,
  requestedLimit,
  type SearchContext,
  type SearchInput,
} from '../search/search-input.ts';
import { isStopWord } from '../text/stop-words.ts';
import { tokensOf } from '../text/token-scanner.ts';
import {
  PassageIndex,
  passageLines,
  type IndexedFile,
  type RankedPassage,
} from './passage-index.ts';
import { readText } from './read-text.ts';
import { renderPassage, type Snippet } from './render-passage.ts';
import { selectCandidates, type RankedSearch } from './select-candidates.ts';

const maxQueryBytes = 2048;
const maxTerms = 32;
const defaultResults = 10;
const maxResults = 25;
const resultsPerFile = 2;
const defaultContext = 2;
const maxContext = 8;
/** Bytes of all ranked files together, at most. */
const maxTotalBytes = 16 * 1024 * 1024;
const parallelReads = 8;
/** Passages after which an index is made anew instead of growing on. */
const maxIndexedPassages = 200_000;

/** One index a session, kept up to date by each query, let go of with the session. */
const sessionIndex: SessionResource<{ index: PassageIndex }> = {
  create: () => ({ index: new PassageIndex() }),
};

interface ScanFacts {
  read: number;
  failed: number;
  oversized: number;
  bytes: number;
  truncated: boolean;
  /** Files that should have been ranked. */
  readonly unread: { path: string; reason: string }[];
}

/** Ranks passages of files by the words of a query. */
export async function bm25Mode(input: SearchInput, context: SearchContext): Promise<ToolOutput> {
  const terms = queryTerms(input.query);
  const search = { context, deadline: searchDeadline(input, context) };
  const candidates = await selectCandidates(input, search, terms);
  const holder = context.resource(sessionIndex);
  if (holder.index.waste > 0.5 || holder.index.passages > maxIndexedPassages) {
    holder.index = new PassageIndex();
  }
  const facts: ScanFacts = {
    read: 0,
    failed: 0,
    oversized: 0,
    bytes: 0,
    truncated: false,
    unread: [],
  };
  const files = await indexFiles(holder.index, search, { paths: candidates.paths, facts });
  const limit = Math.min(input.limit ?? defaultResults, maxResults);
  const ranked = holder.index.rank(terms, files, { limit, perFile: resultsPerFile });
  const lines = Math.min(input.context ?? defaultContext, maxContext);
  const snippets = await verified(ranked, context, { terms, lines });
  const isCut = candidates.truncated || facts.truncated || candidates.matchingFiles > files.length;
  const notSearched = boundedNotSearched([...candidates.notSearched, ...facts.unread]);
  const clamped = clampedHere(input, { limit, context: lines });
  const metadata: JsonObject = {
    mode: 'bm25',
    algorithm: 'bm25',
    parameters: {
      engine: 'passage-index',
      tokenizer: 'identifiers+cjk',
      chunk_lines: passageLines,
    },
    query_terms: [...terms],
    candidate_search: {
      matching_files: candidates.matchingFiles,
      selected_files: candidates.paths.length,
      backend_truncated: candidates.truncated,
      candidate_truncated: candidates.matchingFiles > candidates.paths.length,
      used_glob_fallback: candidates.all,
    },
    scan: {
      read_files: facts.read,
      failed_reads: facts.failed,
      oversized_files: facts.oversized,
      scanned_bytes: facts.bytes,
      scored_chunks: files.reduce((sum, { passages }) => sum + passages, 0),
      truncated: facts.truncated,
    },
    search: {
      matching_lines: 0,
      matching_files: new Set(snippets.map(({ path }) => path)).size,
      truncated: isCut,
      not_searched: notSearched,
    },
    source_anchors: [...new Set(snippets.map(({ path }) => path))],
    results: snippets.map(({ path, startLine, endLine, score }) => ({
      path,
      start_line: startLine,
      end_line: endLine,
      score,
    })),
    returned_results: snippets.length,
    ...(clamped.length > 0 ? { clamped } : {}),
    page: {
      ...placePage(
        { requested: requestedLimit(context, input.limit ?? limit), applied: limit },
        { offset: 0, returned: snippets.length, total: null, next: null },
      ),
    },
  };
  if (
    candidates.paths.length > 0 &&
    files.length === 0 &&
    facts.failed === candidates.paths.length
  ) {
    throw new ToolError('not_found', 'None of the files to rank could be read.', { metadata });
  }
  const text = render(snippets, context, { facts, isCut });
  return { output: text + renderNotSearched(notSearched), metadata };
}

/** What was moved to a bound that is this mode's alone, told as the kernel tells of the bounds that all modes have. */
function clampedHere(
  input: SearchInput,
  applied: { readonly limit: number; readonly context: number },
): JsonObject[] {
  return (['limit', 'context'] as const).flatMap((key) => {
    const from = input[key];
    return from === undefined || from === applied[key]
      ? []
      : [{ path: `/${key}`, from, to: applied[key] }];
  });
}

/** The words to rank by: no words of questions, unless there are no others. Errors: `invalid_argument`. */
function queryTerms(query: string): readonly string[] {
  if (Buffer.byteLength(query) > maxQueryBytes) {
    throw new ToolError(
      'invalid_argument',
      `query has more than ${maxQueryBytes} bytes; ask with fewer words.`,
    );
  }
  const tokens = [...new Set(tokensOf(query.normalize('NFKC')))];
  if (tokens.length === 0) {
    throw new ToolError(
      'invalid_argument',
      'query holds no word to rank by; use mode "grep" for punctuation.',
      { reason: 'no_terms' },
    );
  }
  const telling = tokens.filter((token) => !isStopWord(token));
  return (telling.length > 0 ? telling : tokens).slice(0, maxTerms);
}

/** Brings the index up to date for some files, in their order, until the bytes or the time are used up. */
async function indexFiles(
  index: PassageIndex,
  { context, deadline }: RankedSearch,
  work: { readonly paths: readonly string[]; readonly facts: ScanFacts },
): Promise<IndexedFile[]> {
  const { paths, facts } = work;
  const files: IndexedFile[] = [];
  for (let at = 0; at < paths.length; at += parallelReads) {
    if (deadline.hasPassed) {
      facts.truncated = true;
      facts.unread.push(...paths.slice(at).map((path) => ({ path, reason: 'deadline' })));
      return files;
    }
    const group = paths.slice(at, at + parallelReads);
    const read = await Promise.all(group.map(async (path) => freshFile(index, context, path)));
    for (const [offset, result] of read.entries()) {
      const path = group[offset] ?? '';
      if (facts.bytes + result.size > maxTotalBytes) {
        facts.truncated = true;
        const left = paths.slice(at + offset);
        facts.unread.push(...left.map((each) => ({ path: each, reason: 'too_many_bytes' })));
        return files;
      }
      facts.bytes += result.size;
      if (result.kind === 'known') files.push(result.file);
      else if (result.kind === 'oversized') {
        facts.oversized += 1;
        facts.unread.push({ path, reason: 'too_large' });
      } else if (result.kind === 'failed') {
        facts.failed += 1;
        facts.unread.push({ path, reason: 'unreadable' });
      } else if (result.kind === 'text') {
        facts.read += 1;
        const { token, sha256, text } = result;
        files.push(index.add({ path, token, sha256 }, text));
      }
    }
  }
  facts.truncated ||= files.some(({ truncated }) => truncated);
  return files;
}

async function freshFile(index: PassageIndex, context: SearchContext, path: string) {
  const known = index.file(path);
  if (known !== undefined) {
    const stat = await context.workspace.files
      .stat(path, { signal: context.signal })
      .catch(() => undefined);
    if (stat?.token === known.token) {
      return { kind: 'known' as const, file: known, size: stat.size };
    }
  }
  const read = await readText(context, path);
  return read.kind === 'text' ? read : { kind: read.kind, size: 0 };
}

/** Reads the files of the results again: what is shown is what the index has seen. */
async function verified(
  ranked: readonly RankedPassage[],
  context: SearchContext,
  show: { readonly terms: readonly string[]; readonly lines: number },
): Promise<Snippet[]> {
  const snippets: Snippet[] = [];
  for (const result of ranked) {
    const read = await readText(context, result.file.path);
    if (read.kind !== 'text' || read.sha256 !== result.file.sha256) continue;
    snippets.push(renderPassage(result, read.text, show));
  }
  return snippets;
}

function render(
  snippets: readonly Snippet[],
  context: SearchContext,
  { facts, isCut }: { readonly facts: ScanFacts; readonly isCut: boolean },
): string {
  const parts: string[] = [];
  let bytes = 0;
  for (const [index, { text }] of snippets.entries()) {
    const part = `${index + 1}. ${text}`;
    bytes += Buffer.byteLength(part);
    if (bytes > context.limits.maxOutputBytes - footerBytes) break;
    parts.push(part);
  }
  const scope = isCut ? '; only a part of the files was ranked: narrow path or include' : '';
  const footer =
    snippets.length === 0
      ? '[no passage holds a word of the query]\n'
      : `[${parts.length} of ${snippets.length} passages, ${facts.read} files read${scope}]\n`;
  return parts.join('') + footer;
}

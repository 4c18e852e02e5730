import {
  defineTool,
  isArtifactUri,
  paginatedRead,
  parallelRead,
  ToolError,
  type Tool,
} from '@toolwright/core';
import { bm25Mode } from './bm25/bm25-mode.ts';
import { globMode } from './search/glob-mode.ts';
import { grepMode } from './search/grep-mode.ts';
import {
  defaultTimeoutMs,
  maxLimit,
  maxTimeoutMs,
  type SearchContext,
  type SearchInput,
} from './search/search-input.ts';

/** Milliseconds that a call has beyond its search, to put the answer together. */
const answerMs = 10_000;

/** The `search` tool: contents by pattern, files by name, passages by relevance. */
export function searchTool(): Tool {
  return defineTool({
    name: 'search',
    title: 'Search the workspace',
    description:
      'Searches the files of the workspace. mode "grep" finds lines by a regular expression (RE2 syntax: linear time, no look-around, no back-references) or, with literal, by plain text; mode "glob" finds files by a pattern for their paths ("*.ts" in every directory, "src/**/*.{ts,tsx}", "/*.md" at the top); mode "bm25" ranks passages by the words of a question, for when you do not know the exact text. Files that git ignores are left out unless no_ignore is true; .git never is searched. Use it to find where something is; use read to see a whole file, and ls to see how directories are laid out.',
    keywords: [
      'find',
      'grep',
      'ripgrep',
      'rg',
      'glob',
      'locate',
      'files',
      'regex',
      'where is',
      'usages',
      'references',
    ],
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['mode', 'query'],
      properties: {
        mode: {
          type: 'string',
          enum: ['grep', 'glob', 'bm25'],
          description: 'What kind of search.',
        },
        query: {
          type: 'string',
          minLength: 1,
          maxLength: 10_000,
          description:
            'grep: the regular expression or text. glob: the pattern. bm25: words or a question.',
        },
        path: {
          type: 'string',
          description:
            'Directory or file to search, taken literally; also the URI of an artifact (grep). Default: the root. Globs are relative to it.',
        },
        include: {
          type: 'string',
          minLength: 1,
          description:
            'grep, bm25: only files whose path matches this glob, such as "*.{ts,tsx}"; "!*.test.ts" leaves out.',
        },
        context: {
          type: 'integer',
          minimum: 0,
          maximum: 20,
          'x-clamp': true,
          description: 'Lines around each match: grep 0–20 (0), bm25 0–8 (2).',
        },
        case_sensitive: { type: 'boolean', description: 'grep: tell case apart. Default true.' },
        multiline: {
          type: 'boolean',
          description:
            'grep: let a match span lines; "." still matches no line break unless (?s). Default false.',
        },
        literal: { type: 'boolean', description: 'grep: take query as plain text. Default false.' },
        output_mode: {
          type: 'string',
          enum: ['content', 'files_with_matches', 'count', 'summary'],
          description: 'grep: lines (default), paths, lines per file, or totals alone.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: maxLimit,
          'x-clamp': true,
          description:
            'Items of a page: grep matching lines or files, glob files (200; at most 1000), bm25 passages (10; at most 25).',
        },
        cursor: {
          type: 'string',
          minLength: 1,
          description: 'next_cursor of the page before, with the same other arguments.',
        },
        sort: {
          type: 'string',
          enum: ['path', 'backend'],
          description: 'glob: by path (default), or the likeliest first (backend).',
        },
        hidden: {
          type: 'boolean',
          description: 'Search names that begin with a dot too. Default true.',
        },
        no_ignore: { type: 'boolean', description: 'Search what git ignores too. Default false.' },
        timeout: {
          type: 'integer',
          minimum: 1,
          maximum: maxTimeoutMs,
          'x-clamp': true,
          description: 'Milliseconds until it answers with what it has. Default 20000.',
        },
      },
    },
    examples: [
      { mode: 'grep', query: 'createHost\\(', include: '*.ts', context: 2 },
      { mode: 'grep', query: 'TODO', literal: true, output_mode: 'files_with_matches' },
      { mode: 'glob', query: 'src/**/*.{ts,tsx}' },
      { mode: 'bm25', query: 'where are retries with backoff configured' },
    ],
    requires: ['files.read', 'files.walk', 'search'],
    timeoutMs: ({ timeout = defaultTimeoutMs }) => timeout + answerMs,
    capabilities: ({ mode }) => (mode === 'bm25' ? parallelRead(2) : paginatedRead(16)),
    effects: ({ path = '' }) =>
      isArtifactUri(path) ? [] : [{ kind: 'read', target: treeBelow(path) }],
    run: async (input, context) => runSearch(input, context),
  });
}

async function runSearch(input: SearchInput, context: SearchContext) {
  if (isArtifactUri(input.path ?? '') && input.mode !== 'grep') {
    throw new ToolError('unsupported', 'An artifact can be searched with mode "grep" alone.');
  }
  switch (input.mode) {
    case 'grep':
      return grepMode(input, context);
    case 'glob':
      return globMode(input, context);
    case 'bm25':
      return bm25Mode(input, context);
  }
}

/** The directory and everything below it, as an effect's target. */
function treeBelow(path: string): string {
  const directory = path.replace(/\/+$/, '');
  if (directory === '' && path.startsWith('/')) return '/**';
  return directory === '' || directory === '.' ? '**' : `${directory}/**`;
}

import {
  defineProvider,
  type Provider,
  type HelperSession,
  type ToolResult,
} from '@toolwright/core';
import { searchTool } from './search-tool.ts';

/** Options of `session.grep`; see the `search` tool. */
export interface GrepOptions {
  readonly path?: string;
  readonly include?: string;
  readonly context?: number;
  readonly caseSensitive?: boolean;
  readonly multiline?: boolean;
  readonly literal?: boolean;
  readonly outputMode?: 'content' | 'files_with_matches' | 'count' | 'summary';
  readonly limit?: number;
  readonly cursor?: string;
  readonly hidden?: boolean;
  readonly noIgnore?: boolean;
  readonly timeoutMs?: number;
}

/** Options of `session.glob`. */
export interface GlobOptions {
  readonly path?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly sort?: 'path' | 'backend';
  readonly hidden?: boolean;
  readonly noIgnore?: boolean;
}

/** What the family adds to a session: calls of the host itself. */
export type SearchHelpers = {
  readonly grep: (pattern: string, options?: GrepOptions) => Promise<ToolResult>;
  readonly glob: (pattern: string, options?: GlobOptions) => Promise<ToolResult>;
};

const instructions =
  'Look things up with search before you read whole files: mode "grep" for text you know, "glob" for names, "bm25" for a question in words. Narrow with path and include, and start with output_mode "files_with_matches" or "summary" when much may match. Regular expressions have no look-around and no back-references.';

/** The provider of `search`: grep, glob and ranked passages over the workspace. */
export function search(): Provider<SearchHelpers> {
  return defineProvider({
    name: 'search',
    version: '0.1.0',
    tools: [searchTool()],
    instructions,
    helpers,
  });
}

function helpers(session: HelperSession): SearchHelpers {
  return {
    grep: async (pattern, options = {}) => {
      const { caseSensitive, outputMode, noIgnore, timeoutMs, ...same } = options;
      return session.tool('search', {
        mode: 'grep',
        query: pattern,
        ...same,
        ...(caseSensitive === undefined ? {} : { case_sensitive: caseSensitive }),
        ...(outputMode === undefined ? {} : { output_mode: outputMode }),
        ...(noIgnore === undefined ? {} : { no_ignore: noIgnore }),
        ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      });
    },
    glob: async (pattern, options = {}) => {
      const { noIgnore, ...same } = options;
      return session.tool('search', {
        mode: 'glob',
        query: pattern,
        ...same,
        ...(noIgnore === undefined ? {} : { no_ignore: noIgnore }),
      });
    },
  };
}

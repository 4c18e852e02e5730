import type { ToolContext } from '@toolwright/core';

/** The validated arguments of `search`. */
export interface SearchInput {
  readonly mode: 'grep' | 'glob' | 'bm25';
  readonly query: string;
  readonly path?: string | undefined;
  readonly include?: string | undefined;
  readonly context?: number | undefined;
  readonly case_sensitive?: boolean | undefined;
  readonly multiline?: boolean | undefined;
  readonly literal?: boolean | undefined;
  readonly output_mode?: 'content' | 'files_with_matches' | 'count' | 'summary' | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly sort?: 'path' | 'backend' | undefined;
  readonly hidden?: boolean | undefined;
  readonly no_ignore?: boolean | undefined;
  readonly timeout?: number | undefined;
}

/** What the modes of `search` work with. */
export type SearchContext = ToolContext<'files.read' | 'files.walk' | 'search'>;

/** Milliseconds that a search may take when nothing is said. */
export const defaultTimeoutMs = 20_000;
/** The most that may be asked. */
export const maxTimeoutMs = 110_000;
/** Items of a page when nothing is said, and at most. */
export const defaultLimit = 200;
export const maxLimit = 1000;
/** Bytes kept free for the last lines of an output. */
export const footerBytes = 1024;
/** Distinct paths that `source_anchors` names. */
export const maxAnchors = 64;

/** What the caller asked as the limit, before it was clamped. */
export function requestedLimit(context: SearchContext, limit: number): number {
  return Number(context.clamped.find((change) => change.path === '/limit')?.from ?? limit);
}

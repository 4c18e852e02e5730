import type { GrepRequest } from '@toolwright/core';

/** A search for the lines of a pattern in the whole tree, hidden files too, where a test says nothing else. */
export function grepRequest(pattern: string, options: Partial<GrepRequest> = {}): GrepRequest {
  return {
    pattern,
    literal: false,
    caseSensitive: true,
    multiline: false,
    path: '',
    hidden: true,
    ignore: true,
    gather: 'lines',
    context: 0,
    limit: 1000,
    timeoutMs: 20_000,
    ...options,
  };
}

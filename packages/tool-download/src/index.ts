import { defineProvider } from '@toolwright/core';
import type { Provider } from '@toolwright/core';
import type { NoHelpers } from '@toolwright/core';
import { createDownloadTool } from './download-tool.ts';

/** How the family is set up. */
export interface DownloadOptions {
  /** Milliseconds before the first retry of a failed request; doubled for each further one. Default 200. */
  readonly retryDelayMs?: number;
}

/** The provider of `download`, for sessions with a guarded HTTP client and a workspace on a real directory. */
export function download(options: DownloadOptions = {}): Provider<NoHelpers> {
  return defineProvider({
    name: 'download',
    version: '0.1.0',
    tools: [createDownloadTool({ retryDelayMs: options.retryDelayMs ?? 200 })],
  });
}

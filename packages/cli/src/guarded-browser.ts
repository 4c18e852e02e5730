import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { BrowserClient, HttpClient } from '@toolwright/core';
import { ConfigError } from './config/config-error.ts';
import type { Config } from './config/load-config.ts';
import type { Terminal } from './terminal.ts';

/** Names under which Chromium and what is made from it are installed. */
const BINARIES: readonly string[] = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
];

/**
 * Makes the browser that `web_fetch` renders pages with, where the config enables it; nothing is started before a page is rendered. Errors:
 * `ConfigError` where no binary is named and none is found.
 */
export async function openGuardedBrowser(
  wanted: NonNullable<Config['web']>['browser'],
  { http, env }: { readonly http: HttpClient; readonly env: Terminal['env'] },
): Promise<BrowserClient | undefined> {
  if (wanted?.enabled !== true) return undefined;
  const executablePath = wanted.executablePath ?? findBinary(env);
  if (executablePath === undefined) {
    throw new ConfigError(
      `web.browser: none of ${BINARIES.join(', ')} is in PATH; install one, or name its binary in web.browser.executablePath.`,
    );
  }
  const { createBrowserClient } = await import('@toolwright/safe-http/browser');
  return createBrowserClient({ http, executablePath, noSandbox: wanted.noSandbox ?? false });
}

function findBinary(env: Terminal['env']): string | undefined {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => BINARIES.map((name) => join(folder, name)))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { createRequire } from 'node:module';
import type { Implementation } from '@modelcontextprotocol/server';

let known: Implementation | undefined;

/** Who answers, when a host gives its server no name of its own. */
export function defaultServerInfo(): Implementation {
  known ??= { name: 'toolwright', title: 'Toolwright', version: packageVersion() };
  return known;
}

function packageVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('../../package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0';
}

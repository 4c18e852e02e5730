import type { Workspace } from '../workspace.ts';
import { MemoryFiles } from './memory-files.ts';
import { MemoryTree } from './memory-tree.ts';
import { MemoryWalker } from './memory-walker.ts';
import { MemoryWriter } from './memory-writer.ts';

/** What a memory workspace holds at first. */
export interface MemoryWorkspaceOptions {
  /** Content by path; strings as UTF-8. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Link targets by path; an absolute one begins with `root`. */
  readonly links?: Readonly<Record<string, string>>;
  /** The absolute form of the root. Default `/workspace`. */
  readonly root?: string;
  /** `open` lets tools read and write credential files. Default `closed`. */
  readonly credentialFiles?: 'closed' | 'open';
}

/**
 * A workspace in memory, for tests and browsers: files, walking, staged writes, links; no processes, no
 * local root. Times are counted, not told by a clock, so that equal histories give equal results.
 */
export function memoryWorkspace(options: MemoryWorkspaceOptions = {}): Workspace {
  const tree = new MemoryTree(options.root ?? '/workspace');
  const encoder = new TextEncoder();
  for (const [path, content] of Object.entries(options.files ?? {})) {
    tree.putFile(
      path,
      typeof content === 'string' ? encoder.encode(content) : content.slice(),
      false,
    );
  }
  for (const [path, target] of Object.entries(options.links ?? {})) tree.putLink(path, target);
  const openCredentials = options.credentialFiles === 'open';
  const files = new MemoryFiles(tree, openCredentials);
  return {
    name: 'memory',
    files,
    writer: new MemoryWriter(tree, openCredentials),
    walker: new MemoryWalker(files),
    folding: { caseInsensitive: false, unicodeInsensitive: false },
    resolvePath: async (path) => tree.resolve(path),
    close: async () => {},
  };
}

import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import type { PathFolding, Workspace } from '@toolwright/core';
import { CredentialBoundary } from './files/credential-boundary.ts';
import { LocalFiles } from './files/local-files.ts';
import { LocalPaths } from './files/local-paths.ts';
import { localCommands, type CommandOptions } from './processes/local-commands.ts';
import { toPosix } from './ignore/ignore-rules.ts';
import { LocalSearch } from './scan/local-search.ts';
import { IndexThread } from './gram-index/index-thread.ts';
import { SharedIndex } from './gram-index/shared-index.ts';
import { LocalWalker } from './walk/local-walker.ts';
import { LocalWriter } from './writer/local-writer.ts';
import { Residue } from './writer/residue.ts';

/** What a local workspace may differ in. */
export interface LocalWorkspaceOptions extends CommandOptions {
  /**
   * A directory outside the root for locks between processes and for finding what killed writers left.
   * Without it both hold within this process.
   */
  readonly stateDir?: string;
  /** `open` lets tools read and write credential files. Default `closed`. */
  readonly credentialFiles?: 'closed' | 'open';
  /**
   * Keep an index of the tree in memory once searches come again (on Linux, local disks, up to 250,000 files; at most 96 MiB
   * and about a tenth of the text). Default true.
   */
  readonly searchIndex?: boolean;
}

/**
 * A directory as a workspace. Nothing outside its real path is read or written, links are followed only to
 * targets inside, special files are never opened, and every write is atomic and durable. Errors: `not_found`
 * or `invalid_argument` when the root is no directory.
 */
export function localWorkspace(root: string, options: LocalWorkspaceOptions = {}): Workspace {
  const paths = new LocalPaths(root);
  const credentials = new CredentialBoundary(paths.root, options.credentialFiles === 'open');
  const residue = new Residue(options.stateDir);
  residue.clearAbandoned();
  const resolvePath = async (path: string): Promise<string> => paths.resolve(path).path;
  const commands = localCommands(
    { root: paths.root, resolvePath, showCredentials: options.credentialFiles === 'open' },
    options,
  );
  const keepsIndex = options.searchIndex ?? true;
  const index =
    keepsIndex && process.platform === 'linux'
      ? new SharedIndex({ open: () => new IndexThread(toPosix(paths.root)), afterPasses: 2 })
      : undefined;
  const search = new LocalSearch({ paths, credentials, index });
  return {
    name: basename(paths.root),
    folding: foldingOf(paths.root),
    files: new LocalFiles(paths, credentials),
    writer: new LocalWriter({ paths, credentials, residue, stateDir: options.stateDir }),
    walker: new LocalWalker(paths, index),
    search,
    processes: commands.processes,
    git: commands.git,
    local: { root: paths.root },
    resolvePath,
    close: async () => {
      try {
        await Promise.all([search.close(), index?.close(), commands.processes.close()]);
      } finally {
        residue.close();
      }
    },
  };
}

/** How the disk compares names, by asking it for the root in another spelling. */
function foldingOf(root: string): PathFolding {
  const name = basename(root);
  const swapped = name.toUpperCase() === name ? name.toLowerCase() : name.toUpperCase();
  const caseInsensitive =
    swapped === name
      ? process.platform === 'darwin' || process.platform === 'win32'
      : isSame(root, root.slice(0, root.length - name.length) + swapped);
  return { caseInsensitive, unicodeInsensitive: process.platform === 'darwin' };
}

function isSame(a: string, b: string): boolean {
  try {
    const [x, y] = [lstatSync(a, { bigint: true }), lstatSync(b, { bigint: true })];
    return x.dev === y.dev && x.ino === y.ino;
  } catch {
    return false;
  }
}

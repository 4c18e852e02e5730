import { lstatSync, readdirSync, statSync, type BigIntStats } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { credentialDenied, isCredentialPath, isForeignTree } from '@toolwright/core';

/** Well-known files with keys and tokens in a home directory. */
const homeFiles = [
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.claude.json',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.a3s/os-auth.json',
  '.aws/credentials',
  '.docker/config.json',
  '.kube/config',
  '.config/gcloud/application_default_credentials.json',
  '.config/gh/hosts.yml',
] as const;

/** Milliseconds for which one look over the known credential files is good. */
const scanLifetimeMs = 2_000;

/** Directories that one such look enters, at most. */
const maxScannedDirectories = 20_000;

/**
 * Keeps credential files closed: by path, and for files with several names by identity, so that a hard link
 * to a key is the key. Identities are gathered only when a file with several names is opened.
 */
export class CredentialBoundary {
  readonly #root: string;
  readonly #open: boolean;
  #identities = new Set<string>();
  #scannedAt = Number.NEGATIVE_INFINITY;

  constructor(root: string, open: boolean) {
    this.#root = root;
    this.#open = open;
  }

  /** Throws `permission_denied` (`credential`) for a real workspace path that names a credential file. */
  assertPath(path: string, shown: string): void {
    if (!this.#open && isCredentialPath(path)) throw credentialDenied(shown);
  }

  /** Throws the same for an opened file that is a credential file under another name. */
  assertIdentity(stat: BigIntStats, shown: string): void {
    if (this.#open || stat.nlink <= 1n) return;
    if (performance.now() - this.#scannedAt > scanLifetimeMs) this.#scan();
    if (this.#identities.has(identityOf(stat))) throw credentialDenied(shown);
  }

  #scan(): void {
    this.#identities = new Set();
    const note = (absolute: string): void => {
      try {
        const stat = statSync(absolute, { bigint: true });
        if (stat.isFile() && stat.nlink > 1n) this.#identities.add(identityOf(stat));
      } catch {
        // Not there, or not ours to see: then no link to it can be opened as it either.
      }
    };
    for (const file of homeFiles) note(join(homedir(), file));
    for (const name of namesIn(join(homedir(), '.ssh'))) note(join(homedir(), '.ssh', name));
    const pending = [''];
    for (let seen = 0; pending.length > 0 && seen < maxScannedDirectories; seen += 1) {
      const directory = pending.pop() ?? '';
      for (const name of namesIn(join(this.#root, directory))) {
        const path = directory === '' ? name : `${directory}/${name}`;
        if (isCredentialPath(path)) note(join(this.#root, path));
        else if (!isForeignTree(path) && isDirectory(join(this.#root, path))) pending.push(path);
      }
    }
    this.#scannedAt = performance.now();
  }
}

function identityOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}`;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isDirectory(absolute: string): boolean {
  try {
    return lstatSync(absolute).isDirectory();
  } catch {
    return false;
  }
}

import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import type { FileKind } from '@toolwright/core';
import { judgeEntry, type IgnoreRules, type IgnoreScope } from '../ignore/ignore-rules.ts';
import { compareUtf8 } from './compare-utf8.ts';

/** One entry of a directory, as a walk sees it. */
export interface TreeEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** What a directory holds for a walk: entries in path order, and the ignore rules inside it. */
export interface TreeDirectory {
  readonly entries: readonly TreeEntry[];
  readonly scope: IgnoreScope | undefined;
}

/** Which entries a walk wants. */
export interface TreeFilter {
  /** Undefined: ignore files play no part. */
  readonly rules: IgnoreRules | undefined;
  readonly hidden: boolean;
}

/**
 * Lists one directory (absolute, with `/`) for a walk; see {@link arrangeListing}. Throws what `readdir` throws.
 */
export function readTreeDirectory(
  directory: string,
  outer: IgnoreScope | undefined,
  filter: TreeFilter,
): TreeDirectory {
  const listing = readdirSync(directory, { withFileTypes: true });
  return arrangeListing({ directory, outer, listing }, filter);
}

/**
 * Makes of a directory's listing what a walk sees: no `.git` in any spelling, nothing ignored, nothing hidden
 * unless wanted (or named by a negated rule, as ripgrep has it), sorted so that a depth-first walk meets whole
 * paths by their UTF-8 bytes.
 */
function arrangeListing(
  found: {
    readonly directory: string;
    readonly outer: IgnoreScope | undefined;
    readonly listing: readonly Dirent[];
  },
  filter: TreeFilter,
): TreeDirectory {
  const { directory, outer, listing } = found;
  const scope = filter.rules?.scopeInside(directory, outer, holdingsOf(listing));
  const entries: TreeEntry[] = [];
  let strange: Set<string> | undefined;
  for (const item of listing) {
    const { name } = item;
    if (name.includes('\ufffd')) {
      // Names that are no UTF-8 look alike, and none can be opened: one stands for them.
      if (strange?.has(name) === true) continue;
      strange = (strange ?? new Set()).add(name);
    }
    const dotted = name.charCodeAt(0) === 0x2e;
    if (dotted && name.length === 4 && name.toLowerCase() === '.git') continue;
    const kind = kindOf(item, directory);
    if (kind === undefined) continue;
    if (scope !== undefined || dotted) {
      const verdict = judgeEntry(scope, { name, directory, isDirectory: kind === 'directory' });
      if (verdict === 'ignored') continue;
      if (dotted && !filter.hidden && verdict !== 'kept') continue;
    }
    entries.push({ name, kind });
  }
  if (!isInPathOrder(entries)) entries.sort((a, b) => compareUtf8(orderKey(a), orderKey(b)));
  return { entries, scope };
}

/** Whether a listing shows an ignore file, and the top of a repository. */
function holdingsOf(listing: readonly Dirent[]): {
  hasIgnoreFile: boolean;
  hasRepository: boolean;
} {
  let hasIgnoreFile = false;
  let hasRepository = false;
  for (const { name } of listing) {
    if (name === '.gitignore') hasIgnoreFile = true;
    else if (name === '.git') hasRepository = true;
  }
  return { hasIgnoreFile, hasRepository };
}

/** Undefined when the entry is gone or its name is no UTF-8, so that nothing could open it by name. */
function kindOf(item: Dirent, directory: string): FileKind | undefined {
  if (item.isFile()) return 'file';
  if (item.isDirectory()) return 'directory';
  if (item.isSymbolicLink()) return 'symlink';
  if (item.isFIFO()) return 'fifo';
  if (item.isSocket()) return 'socket';
  if (item.isCharacterDevice()) return 'character_device';
  if (item.isBlockDevice()) return 'block_device';
  // Some file systems do not tell the kind in the listing.
  const stat = lstatSync(`${directory}/${item.name}`, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'symlink' : 'unknown';
}

/** A directory sorts as if its name ended in a slash: then whole paths are in byte order. */
function orderKey(entry: TreeEntry): string {
  return entry.kind === 'directory' ? `${entry.name}/` : entry.name;
}

function isInPathOrder(entries: readonly TreeEntry[]): boolean {
  for (let i = 1; i < entries.length; i += 1) {
    const a = entries[i - 1];
    const b = entries[i];
    if (a === undefined || b === undefined) return true;
    // Only a directory beside a name that begins with its own can be out of the listing's order.
    const plain = a.kind !== 'directory' && b.kind !== 'directory';
    if (plain ? compareUtf8(a.name, b.name) > 0 : compareUtf8(orderKey(a), orderKey(b)) > 0) {
      return false;
    }
  }
  return true;
}

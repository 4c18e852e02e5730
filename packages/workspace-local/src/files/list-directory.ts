import { opendirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { compareUtf8, type DirectoryEntry } from '@toolwright/core';
import { TurnTaker } from '../walk/turn-taker.ts';
import { isStagingName } from '../writer/staging-name.ts';
import { kindOf } from './file-stat.ts';
import { sortInTurns } from './sort-in-turns.ts';

/** Entries that the system is asked for at a time. */
const batchEntries = 512;

/**
 * The entries of a directory (an absolute path) by the UTF-8 bytes of their names, without what writers have staged.
 * Large directories are read and sorted in turns of some milliseconds. Throws what `opendir` throws, and what the signal
 * was aborted with.
 */
export async function listDirectory(
  absolute: string,
  signal?: AbortSignal,
): Promise<readonly DirectoryEntry[]> {
  const turns = new TurnTaker(signal);
  const entries: DirectoryEntry[] = [];
  const directory = opendirSync(absolute, { bufferSize: batchEntries });
  try {
    for (let item = directory.readSync(); item !== null; item = directory.readSync()) {
      const { name } = item;
      if (isStagingName(name)) continue;
      const kind = kindOf(item);
      const linkTarget = kind === 'symlink' ? targetOf(join(absolute, name)) : undefined;
      entries.push({ name, kind, ...(linkTarget === undefined ? {} : { linkTarget }) });
      if (entries.length % batchEntries === 0) await turns.next();
    }
  } finally {
    directory.closeSync();
  }
  return sortInTurns(entries, (a, b) => compareUtf8(a.name, b.name), turns);
}

function targetOf(absolute: string): string | undefined {
  try {
    return readlinkSync(absolute);
  } catch {
    return undefined;
  }
}

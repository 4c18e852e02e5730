import type { BigIntStats, Dirent } from 'node:fs';
import type { FileKind, FileStat } from '@toolwright/core';

/** The kind of what a stat or a directory entry tells of. */
export function kindOf(
  entry: Pick<Dirent | BigIntStats, keyof Dirent & keyof BigIntStats>,
): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  if (entry.isSymbolicLink()) return 'symlink';
  if (entry.isFIFO()) return 'fifo';
  if (entry.isSocket()) return 'socket';
  if (entry.isBlockDevice()) return 'block_device';
  if (entry.isCharacterDevice()) return 'character_device';
  return 'unknown';
}

/** The contract's facts from the system's. */
export function toFileStat(path: string, stat: BigIntStats): FileStat {
  const kind = kindOf(stat);
  return {
    path,
    kind,
    size: kind === 'file' ? Number(stat.size) : 0,
    mtimeMs: Number(stat.mtimeNs / 1_000_000n),
    token: tokenOf(stat),
    executable: kind === 'file' && (stat.mode & 0o100n) !== 0n,
    ...(kind === 'file' && process.platform !== 'win32'
      ? { mode: Number(stat.mode & 0o777n) }
      : {}),
    links: Number(stat.nlink),
  };
}

/** Changes with every change of the bytes that the file system notices. */
export function tokenOf(stat: BigIntStats): string {
  return `${stat.dev.toString(36)}.${stat.ino.toString(36)}.${stat.size.toString(36)}.${stat.mtimeNs.toString(36)}.${stat.ctimeNs.toString(36)}`;
}

import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { namesIn } from './names-in.ts';
import { isRunning } from './staging-name.ts';

/** One path of a promotion, as it has to be put back. */
export interface RecordedChange {
  /** Absolute path. */
  readonly target: string;
  /** Absolute path of another name of the file that was there; null where there was none, or where it stays in place. */
  readonly old: string | null;
  /** Identity of the file that is to be new there; null for any other change. */
  readonly created: string | null;
  /** Mode to set again; null for any other change. */
  readonly mode: number | null;
}

/** What a promotion of several files is about to do. */
export interface RecordedPromotion {
  readonly changes: readonly RecordedChange[];
  /** Directories that were made for it, the outermost first. */
  readonly directories: readonly string[];
}

const namePattern = /^promotion-(\d+)\.json$/;

/** Writes down a promotion before its first rename, durably; returns how to forget it. */
export function recordPromotion(stateDir: string, promotion: RecordedPromotion): () => void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const path = join(stateDir, `promotion-${process.pid}.json`);
  const descriptor = openSync(path, 'w', 0o600);
  try {
    writeSync(descriptor, JSON.stringify(promotion));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return () => rmSync(path, { force: true });
}

/**
 * Puts back what processes that were killed in the middle of a promotion had changed. Nothing happens twice: what has been
 * put back already, by whomever, is not there any more.
 */
export function recoverPromotions(stateDir: string): void {
  for (const name of namesIn(stateDir)) {
    const pid = Number(namePattern.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isSafeInteger(pid) || isRunning(pid)) continue;
    const path = join(stateDir, name);
    const promotion = readRecord(path);
    for (const change of promotion?.changes.toReversed() ?? []) attempt(() => putBack(change));
    for (const made of promotion?.directories.toReversed() ?? []) attempt(() => rmdirSync(made));
    rmSync(path, { force: true });
  }
}

function putBack({ target, old, created, mode }: RecordedChange): void {
  if (old !== null) renameSync(old, target);
  else if (created !== null && identityOf(target) === created) unlinkSync(target);
  else if (mode !== null) chmodSync(target, mode);
}

/** What tells a file, as it was written, from every other; inodes are used again, and links change other times. */
export function identityOf(absolute: string): string {
  const { dev, ino, size, mtimeNs } = lstatSync(absolute, { bigint: true });
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

/** A record that was cut off while it was written is of a promotion that had not begun. */
function readRecord(path: string): RecordedPromotion | undefined {
  try {
    // Only `recordPromotion` writes files of this name.
    return JSON.parse(readFileSync(path, 'utf8')) as RecordedPromotion;
  } catch {
    return undefined;
  }
}

/** What is gone, or has been exchanged by somebody else meanwhile, stays as it is. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The other changes are put back all the same.
  }
}

import { appendFileSync, mkdirSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from './names-in.ts';
import { recoverPromotions } from './promotion-record.ts';
import { isRunning, stagingOwner } from './staging-name.ts';

/**
 * Clears what writers that were killed have left: staged files whose process is gone. A directory is looked
 * at before this process first stages in it; with a state directory, those in which other processes staged
 * are looked at on opening.
 */
export class Residue {
  readonly #stateDir: string | undefined;
  readonly #inFlight: string | undefined;
  readonly #looked = new Set<string>();

  constructor(stateDir: string | undefined) {
    this.#stateDir = stateDir;
    this.#inFlight = stateDir === undefined ? undefined : join(stateDir, 'in-flight');
  }

  /** Clears directories in which processes that are gone had staged files. */
  clearAbandoned(): void {
    const folder = this.#inFlight;
    if (folder === undefined) return;
    this.#recover();
    for (const name of namesIn(folder)) {
      const pid = Number(name);
      if (!Number.isSafeInteger(pid) || isRunning(pid)) continue;
      const list = join(folder, name);
      for (const directory of linesOf(list)) clearDirectory(directory);
      rmSync(list, { force: true });
    }
  }

  /** Clears a directory, and notes that this process stages there. */
  enter(directory: string): void {
    if (this.#looked.has(directory)) return;
    this.#looked.add(directory);
    this.#recover();
    clearDirectory(directory);
    const folder = this.#inFlight;
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    appendFileSync(join(folder, String(process.pid)), `${JSON.stringify(directory)}\n`);
  }

  /** What was half done is put back before the files that it is put back from are cleared away. */
  #recover(): void {
    if (this.#stateDir !== undefined) recoverPromotions(this.#stateDir);
  }

  /** Forgets this process: nothing of it is staged any more. */
  close(): void {
    this.#looked.clear();
    if (this.#inFlight !== undefined)
      rmSync(join(this.#inFlight, String(process.pid)), { force: true });
  }
}

function clearDirectory(directory: string): void {
  for (const name of namesIn(directory)) {
    const owner = stagingOwner(name);
    if (owner === undefined || isRunning(owner)) continue;
    try {
      unlinkSync(join(directory, name));
    } catch {
      // Another process clears the same residue, or may not: then it is its business.
    }
  }
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line))
      .filter((line) => typeof line === 'string');
  } catch {
    return [];
  }
}

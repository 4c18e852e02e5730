import { Chain, type Link } from './chain.ts';
import type { LockTarget } from './lock-target.ts';

/** What an index keeps. */
export interface Indexed<T> {
  readonly targets: readonly LockTarget[];
  /** Where the index has it; the index's own. */
  place: Link<T> | undefined;
}

const none: readonly never[] = [];

/** Paths that nobody touches any more and that are kept: most are touched again, and making their lists anew costs more. */
const maxIdlePaths = 256;

/** Requests by what they touch, so that finding those that may meet another does not take time by their number. */
export class LockIndex<T extends Indexed<T>> {
  readonly #all = new Chain<T>();
  readonly #trees = new Set<T>();
  readonly #byPath = new Map<string, T[]>();

  get size(): number {
    return this.#all.size;
  }

  add(entry: T): void {
    entry.place = this.#all.add(entry);
    for (const { path, tree } of entry.targets) {
      if (tree) this.#trees.add(entry);
      else {
        const same = this.#byPath.get(path);
        if (same === undefined) this.#byPath.set(path, [entry]);
        else if (!same.includes(entry)) same.push(entry);
      }
    }
  }

  delete(entry: T): void {
    if (entry.place === undefined || !this.#all.remove(entry.place)) return;
    for (const { path, tree } of entry.targets) {
      if (tree) this.#trees.delete(entry);
      else this.#deletePath(path, entry);
    }
  }

  /** Everything whose targets may overlap those of `entry`, itself perhaps included. */
  meeting({ targets }: Indexed<T>): Iterable<T> {
    if (targets.some(({ tree }) => tree)) return this.#all;
    const [only] = targets;
    if (only !== undefined && targets.length === 1 && this.#trees.size === 0) {
      return this.#byPath.get(only.path) ?? none;
    }
    const found = new Set(this.#trees);
    for (const { path } of targets)
      for (const one of this.#byPath.get(path) ?? none) found.add(one);
    return found;
  }

  #deletePath(path: string, entry: T): void {
    const same = this.#byPath.get(path);
    if (same === undefined) return;
    const at = same.indexOf(entry);
    // The last one is taken off without an array made of it.
    if (at === same.length - 1) same.pop();
    else if (at >= 0) same.splice(at, 1);
    if (same.length === 0 && this.#byPath.size > maxIdlePaths) this.#byPath.delete(path);
  }
}

import type { LockTarget } from './lock-target.ts';

/** What an index keeps. */
export interface Indexed {
  readonly targets: readonly LockTarget[];
}

const none: ReadonlySet<never> = new Set();

/** Requests by what they touch, so that finding those that may meet another does not take time by their number. */
export class LockIndex<T extends Indexed> {
  readonly #all = new Set<T>();
  readonly #trees = new Set<T>();
  readonly #byPath = new Map<string, Set<T>>();

  get size(): number {
    return this.#all.size;
  }

  get all(): ReadonlySet<T> {
    return this.#all;
  }

  add(entry: T): void {
    this.#all.add(entry);
    for (const { path, tree } of entry.targets) {
      if (tree) this.#trees.add(entry);
      else {
        const same = this.#byPath.get(path);
        if (same === undefined) this.#byPath.set(path, new Set([entry]));
        else same.add(entry);
      }
    }
  }

  delete(entry: T): boolean {
    if (!this.#all.delete(entry)) return false;
    this.#trees.delete(entry);
    for (const { path } of entry.targets) {
      const same = this.#byPath.get(path);
      same?.delete(entry);
      if (same?.size === 0) this.#byPath.delete(path);
    }
    return true;
  }

  /** Everything whose targets may overlap those of `entry`, itself perhaps included. */
  meeting({ targets }: Indexed): ReadonlySet<T> {
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
}

import type { Link } from './open-link.ts';

/** Links that are replaced while calls still wait on them: each is closed behind its last call. */
export class RetiredLinks {
  readonly #inUse = new Map<Link, number>();
  readonly #retired = new Set<Link>();

  /** A call goes out over a link; the function that is returned says that it is over. */
  use(link: Link): () => void {
    this.#inUse.set(link, (this.#inUse.get(link) ?? 0) + 1);
    return () => {
      const left = (this.#inUse.get(link) ?? 1) - 1;
      if (left > 0) {
        this.#inUse.set(link, left);
        return;
      }
      this.#inUse.delete(link);
      if (this.#retired.delete(link)) void link.close();
    };
  }

  retire(link: Link): void {
    if (this.#inUse.has(link)) this.#retired.add(link);
    else void link.close();
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#retired].map((link) => link.close()));
    this.#retired.clear();
  }
}

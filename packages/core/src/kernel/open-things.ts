/** Closes one thing; doing it again does no harm. */
type Close = () => Promise<unknown>;

interface Open {
  readonly close: Close;
  keeper: OpenThings;
}

/** What was opened through a view and is not closed yet: what its tool forgets, or never comes to, is closed for it. */
export class OpenThings {
  readonly #open = new Set<Open>();

  get size(): number {
    return this.#open.size;
  }

  /**
   * Keeps what has just been opened, as `add` does; what came only after its call had ended is closed at once. Errors: those
   * of `assertAlive`.
   */
  async keep(close: Close, assertAlive: () => void): Promise<() => void> {
    try {
      assertAlive();
    } catch (error) {
      await close();
      throw error;
    }
    return this.add(close);
  }

  /** Keeps something until it is closed here or, with the returned function, forgotten. */
  add(close: Close): () => void {
    const one: Open = { close, keeper: this };
    this.#open.add(one);
    return () => void one.keeper.#open.delete(one);
  }

  /** Hands everything over to another keeper. */
  moveTo(keeper: OpenThings): void {
    for (const one of this.#open) {
      one.keeper = keeper;
      keeper.#open.add(one);
    }
    this.#open.clear();
  }

  /** Closes everything at once; one that fails or hangs does not keep the others from it. Undefined when nothing is open. */
  close(): Promise<unknown> | undefined {
    if (this.#open.size === 0) return undefined;
    const open = [...this.#open];
    this.#open.clear();
    return Promise.allSettled(open.map(async ({ close }) => close()));
  }
}

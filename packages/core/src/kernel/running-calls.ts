/** How many calls of a session have not ended, nested ones too. */
export class RunningCalls {
  #count = 0;
  #idle: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const tell of this.#idle.splice(0)) tell();
  }

  /** Settles when no call is left: one that ends may leave another behind. */
  async ended(): Promise<void> {
    while (this.#count > 0) {
      await new Promise<void>((resolve) => {
        this.#idle.push(resolve);
      });
    }
  }
}

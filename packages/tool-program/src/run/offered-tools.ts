import type { ToolCatalog } from '@toolwright/core';

/** What a session offers, as far as programs ask for it each time; made anew when its tools change. */
export class OfferedTools {
  #version: number | undefined;
  #callable: readonly string[] = [];
  #known: ReadonlySet<string> = new Set();

  /** The names of the tools that can be called without more ado, sorted. */
  callable(catalog: ToolCatalog): readonly string[] {
    this.#look(catalog);
    return this.#callable;
  }

  /** Whether there is a tool of this name, hidden or not. */
  has(catalog: ToolCatalog, name: string): boolean {
    this.#look(catalog);
    return this.#known.has(name);
  }

  #look(catalog: ToolCatalog): void {
    if (this.#version === catalog.version) return;
    const entries = catalog.entries({ hidden: true });
    this.#version = catalog.version;
    this.#known = new Set(entries.map(({ name }) => name));
    this.#callable = entries
      .filter(({ state, loaded }) => state === 'visible' || loaded)
      .map(({ name }) => name);
  }
}

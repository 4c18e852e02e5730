import type { CandidateSource } from './candidate-source.ts';

/** When and how an index is opened. */
export interface IndexUse {
  readonly open: () => CandidateSource;
  /** Passes over large trees (scans and walks) after which the index is opened. */
  readonly afterPasses: number;
}

/** The index of a workspace, for its scanner and its walker. It costs more than one pass: it is made where passes come again. */
export class SharedIndex {
  readonly #use: IndexUse;
  #index: CandidateSource | undefined;
  #passes = 0;
  #isClosed = false;

  constructor(use: IndexUse) {
    this.#use = use;
  }

  /** The index; undefined until there is one. */
  get(): CandidateSource | undefined {
    if (this.#isClosed || this.#passes < this.#use.afterPasses) return undefined;
    this.#index ??= this.#use.open();
    return this.#index;
  }

  /** All of a large tree was gone through. */
  notePass(): void {
    this.#passes += 1;
    this.get();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#index?.close();
  }
}

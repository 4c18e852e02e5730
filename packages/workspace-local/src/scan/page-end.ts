import type { ScanControl } from './scan-job.ts';

/** Files between two looks at what other threads have found meanwhile. */
const filesBetweenLooks = 32;

/**
 * Tells where a scan is beyond the last line that its page can hold. Adding up the counts of all pieces for each file
 * would cost as much as looking into it: what is learned late costs rows that no page holds, and nothing more.
 */
export class PageEnd {
  readonly #control: ScanControl;
  readonly #limit: number;
  #item = -1;
  #isPast = false;
  #filesUntilLook = 0;

  constructor(control: ScanControl, limit: number) {
    this.#control = control;
    this.#limit = limit;
  }

  /** Whether lines of a piece's next file can be on the page no more. */
  isPast(item: number): boolean {
    if (item !== this.#item) {
      this.#item = item;
      this.#isPast = false;
      this.#filesUntilLook = 0;
    }
    if (!this.#isPast && this.#filesUntilLook === 0) {
      this.#isPast = this.#control.linesUpTo(item) > this.#limit;
      this.#filesUntilLook = filesBetweenLooks;
    }
    this.#filesUntilLook -= 1;
    return this.#isPast;
  }

  /** Adds matching lines to a piece's count. */
  count(item: number, lines: number): void {
    this.#control.count(item, lines);
    this.#filesUntilLook = 0;
  }
}

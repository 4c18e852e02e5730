import type { ToolProgress } from '@toolwright/core';

/** Milliseconds between two reports. */
const INTERVAL_MS = 250;

/** What a meter needs. */
export interface ProgressMeterOptions {
  /** Bytes of the whole; `undefined` when the server does not say. */
  readonly total: number | undefined;
  /** Bytes that were there before. */
  readonly initial: number;
  now(): number;
  report(progress: ToolProgress): void;
}

/** Counts arriving bytes and reports, now and then, how many there are, how fast they come and how long the rest will take. */
export class ProgressMeter {
  readonly #options: ProgressMeterOptions;
  readonly #startedMs: number;
  #received = 0;
  #reportedMs: number;

  constructor(options: ProgressMeterOptions) {
    this.#options = options;
    this.#startedMs = options.now();
    this.#reportedMs = this.#startedMs;
  }

  /** Counts bytes that came over the network, those fetched a second time included. */
  add(count: number): void {
    this.#received += count;
    const nowMs = this.#options.now();
    if (nowMs - this.#reportedMs >= INTERVAL_MS) {
      this.#reportedMs = nowMs;
      this.#report(nowMs);
    }
  }

  /** Reports once more, at the end. */
  finish(): void {
    this.#report(this.#options.now());
  }

  #report(nowMs: number): void {
    const { total, initial } = this.#options;
    const elapsedMs = Math.max(nowMs - this.#startedMs, 1);
    const rate = Math.round((this.#received * 1000) / elapsedMs);
    const current = Math.min(initial + this.#received, total ?? Number.MAX_SAFE_INTEGER);
    const rest =
      total === undefined || rate === 0 ? undefined : Math.round(((total - current) * 1000) / rate);
    this.#options.report({
      current,
      ...(total === undefined ? {} : { total }),
      data: { bytes_per_second: rate, ...(rest === undefined ? {} : { remaining_ms: rest }) },
    });
  }
}

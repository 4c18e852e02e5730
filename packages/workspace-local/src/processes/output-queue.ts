import type { ProcessOutput } from '@toolwright/core';
import type { OutputSource } from './output-source.ts';

/**
 * The two streams of a command as one sequence in order of arrival, with backpressure: what is not
 * consumed stays in the pipe, and the command waits. The bytes of a piece are good until the next one is
 * asked for: each stream is read into the same memory again.
 */
export class OutputQueue implements AsyncIterable<ProcessOutput> {
  /** Settles when both streams have been read to their ends or were closed. */
  readonly ended: Promise<void>;
  readonly #sources: readonly OutputSource[];
  readonly #arrived: { readonly output: ProcessOutput; readonly source: OutputSource }[] = [];
  #open: number;
  #wake: (() => void) | null = null;

  constructor(stdout: OutputSource, stderr: OutputSource) {
    this.#sources = [stdout, stderr];
    this.#open = this.#sources.length;
    let end: () => void;
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    for (const [source, stream] of [
      [stdout, 'stdout'],
      [stderr, 'stderr'],
    ] as const) {
      source.open({
        piece: (bytes) => {
          this.#arrived.push({ output: { stream, bytes }, source });
          this.#notify();
        },
        closed: () => {
          this.#open -= 1;
          if (this.#open === 0) end();
          this.#notify();
        },
      });
    }
  }

  /** Stops reading; what had arrived can still be consumed. */
  close(): void {
    for (const source of this.#sources) source.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<ProcessOutput> {
    for (;;) {
      const next = this.#arrived.shift();
      if (next !== undefined) {
        yield next.output;
        next.source.resume();
      } else if (this.#open === 0) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = null;
  }
}

import type { ProcessOutput } from '@toolwright/core';
import type { Readable } from 'node:stream';

/** Bytes that wait for the consumer before the streams are paused. */
const highWaterBytes = 256 * 1024;

/**
 * The two streams of a command as one sequence in order of arrival, with backpressure: what is not
 * consumed stays in the pipe, and the command waits.
 */
export class OutputQueue implements AsyncIterable<ProcessOutput> {
  readonly #streams: readonly Readable[];
  readonly #chunks: ProcessOutput[] = [];
  #bytes = 0;
  #open: number;
  #wake: (() => void) | null = null;

  constructor(stdout: Readable, stderr: Readable) {
    this.#streams = [stdout, stderr];
    this.#open = this.#streams.length;
    for (const [stream, name] of [
      [stdout, 'stdout'],
      [stderr, 'stderr'],
    ] as const) {
      stream.on('data', (bytes: Uint8Array) => this.#push({ stream: name, bytes }));
      stream.once('close', () => {
        this.#open -= 1;
        this.#notify();
      });
      stream.on('error', () => stream.destroy());
    }
  }

  /** Stops reading; what had arrived can still be consumed. */
  close(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<ProcessOutput> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#bytes -= chunk.bytes.length;
        if (this.#bytes < highWaterBytes) for (const stream of this.#streams) stream.resume();
        yield chunk;
      } else if (this.#open === 0) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #push(chunk: ProcessOutput): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.bytes.length;
    if (this.#bytes >= highWaterBytes) for (const stream of this.#streams) stream.pause();
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = null;
  }
}

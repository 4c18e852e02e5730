import type { Readable } from 'node:stream';

/** Who takes the pieces of a stream. */
export interface OutputListener {
  /** The bytes are good until `resume` is called. */
  piece(bytes: Uint8Array): void;
  /** No more will come; called once. */
  closed(): void;
}

/** One stream of a command, read piece by piece: after each nothing is read until it is asked for. */
export interface OutputSource {
  /** Begins to read; called once. */
  open(listener: OutputListener): void;
  resume(): void;
  /** Stops reading and lets the stream go. */
  destroy(): void;
}

/** A source from a stream of Node, which gives each piece a memory of its own. */
export function readableSource(stream: Readable): OutputSource {
  return {
    open(listener) {
      stream.on('data', (bytes: Uint8Array) => {
        stream.pause();
        listener.piece(bytes);
      });
      stream.once('close', () => listener.closed());
      stream.on('error', () => stream.destroy());
    },
    resume: () => void stream.resume(),
    destroy: () => void stream.destroy(),
  };
}

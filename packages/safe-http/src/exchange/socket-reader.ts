import type { Socket } from 'node:net';

/** Buffers of one connection. */
const BUFFERS = 4;
/** Bytes of one buffer: what is read from the system at once. */
const BUFFER_BYTES = 512 * 1024;

/** What `net.connect` and `tls.connect` take to read into given memory. */
export interface OnRead {
  readonly buffer: () => Uint8Array;
  readonly callback: (count: number, buffer: Uint8Array) => boolean;
}

interface Filled {
  readonly bytes: Uint8Array;
  /** The buffer to give back; `undefined` for memory that is not ours. */
  readonly buffer: Uint8Array | undefined;
}

/**
 * Reads a socket into a few buffers that are used over and over. When all are full the socket waits, so memory is bounded whatever the
 * peer sends. A chunk is valid until the next one is asked for.
 */
export class SocketReader {
  readonly onRead: OnRead;
  readonly #free: Uint8Array[] = [];
  readonly #filled: Filled[] = [];
  #made = 0;
  #current: Filled | undefined;
  #socket: Socket | undefined;
  #isPaused = false;
  #ending: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor() {
    this.onRead = {
      buffer: () => this.#takeBuffer(),
      callback: (count, buffer) => this.#onBytes({ bytes: buffer.subarray(0, count), buffer }),
    };
  }

  /** Begins with a socket that was made with `onRead`, or with any other: then its own chunks are taken. */
  attach(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      if (!this.#onBytes({ bytes: chunk, buffer: undefined })) {
        socket.pause();
      }
    });
    socket.once('error', (error) => {
      this.#end(error);
    });
    socket.once('end', () => {
      this.#end(undefined);
    });
    socket.once('close', () => {
      this.#end(new Error('The connection was closed.'));
    });
  }

  /** The next bytes; `undefined` at the end of the stream. Errors: the socket's. */
  async next(): Promise<Uint8Array | undefined> {
    this.#giveBack();
    while (this.#filled.length === 0) {
      if (this.#ending?.error !== undefined) {
        throw this.#ending.error;
      }
      if (this.#ending !== undefined) {
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#current = this.#filled.shift();
    return this.#current?.bytes;
  }

  /** Whether bytes wait that nobody has asked for, or the stream has ended. */
  get isIdle(): boolean {
    return this.#filled.length === 0 && this.#ending === undefined;
  }

  #takeBuffer(): Uint8Array {
    const buffer = this.#free.pop();
    if (buffer !== undefined) {
      return buffer;
    }
    this.#made += 1;
    return Buffer.allocUnsafeSlow(BUFFER_BYTES);
  }

  /** False makes the socket wait: one buffer must stay for what it reads first when it goes on. */
  #onBytes(filled: Filled): boolean {
    this.#filled.push(filled);
    this.#wake?.();
    const isFull = this.#filled.length >= BUFFERS - 1;
    this.#isPaused ||= isFull;
    return !isFull;
  }

  #giveBack(): void {
    const buffer = this.#current?.buffer;
    this.#current = undefined;
    if (buffer !== undefined && this.#made <= BUFFERS) {
      this.#free.push(buffer);
    }
    if (this.#isPaused && this.#filled.length < BUFFERS - 1) {
      this.#isPaused = false;
      this.#socket?.resume();
    }
  }

  #end(error: Error | undefined): void {
    this.#ending ??= { error };
    this.#wake?.();
  }
}

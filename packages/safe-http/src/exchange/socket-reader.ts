import type { Socket } from 'node:net';

/** Buffers of one connection. */
const BUFFERS = 4;
/** Bytes of one buffer. */
const BUFFER_BYTES = 512 * 1024;
/** Bytes of the first buffer, which is not used again: most answers need no more. */
const FIRST_BUFFER_BYTES = 64 * 1024;
/** Bytes that are worth handing on at once: before fewer are, the socket is asked once more whether others have come. */
const GATHERED_BYTES = 256 * 1024;
/** Less room than this is not read into: the next buffer is taken. */
const MIN_ROOM_BYTES = 64 * 1024;

/** What `net.connect` and `tls.connect` take to read into given memory; the latter ignores it over a socket that is there already. */
export interface OnRead {
  readonly buffer: () => Uint8Array;
  readonly callback: (count: number, buffer: Uint8Array) => boolean;
}

/** A buffer, filled from its start; bytes from `read` to `filled` wait for the consumer. */
interface Slot {
  readonly buffer: Uint8Array;
  read: number;
  filled: number;
}

/**
 * Reads a socket into a few buffers that are used over and over; what arrives between two calls comes together. When all buffers are
 * full the socket waits, so memory is bounded whatever the peer sends. A chunk is valid until the next one is asked for.
 */
export class SocketReader {
  readonly onRead: OnRead;
  readonly #free: Slot[] = [];
  /** Slots with bytes that wait, in order; the one being filled is the last. */
  readonly #slots: Slot[];
  #writing: Slot;
  #made = 1;
  #socket: Socket | undefined;
  #isPaused = false;
  #isResting = false;
  #ending: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor() {
    this.#writing = newSlot(Buffer.allocUnsafeSlow(FIRST_BUFFER_BYTES));
    this.#slots = [this.#writing];
    this.onRead = {
      buffer: () => this.#writing.buffer.subarray(this.#writing.filled),
      callback: (count) => this.#onFilled(count),
    };
  }

  /** Begins with a socket that was made with `onRead`, or with any other (TLS over one): then its chunks are copied. */
  attach(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      if (!this.#copy(chunk)) {
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
    if (this.#isEmpty && this.#ending === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    // Every chunk costs its consumer a write: few large ones are better than many small ones.
    for (let turns = 0; turns < 2 && this.#isGathering; turns += 1) {
      await nextTurn();
    }
    const slot = this.#slots.find(({ read, filled }) => read < filled);
    if (slot !== undefined) {
      const bytes = slot.buffer.subarray(slot.read, slot.filled);
      slot.read = slot.filled;
      return bytes;
    }
    if (this.#ending?.error !== undefined) {
      throw this.#ending.error;
    }
    return undefined;
  }

  /** While it rests nothing is expected: whatever arrives ends the connection. */
  rest(isResting: boolean): void {
    this.#isResting = isResting;
  }

  /** Whether nothing has arrived that nobody has asked for, and the stream goes on. */
  get isIdle(): boolean {
    return this.#ending === undefined && this.#isEmpty;
  }

  get #isEmpty(): boolean {
    return this.#slots.every(({ read, filled }) => read === filled);
  }

  /** Whether what waits is little, and more may come at once. */
  get #isGathering(): boolean {
    const { read, filled } = this.#writing;
    const isOnlyOne = this.#slots.length === 1;
    return isOnlyOne && filled - read < GATHERED_BYTES && this.#ending === undefined;
  }

  #copy(chunk: Uint8Array): boolean {
    let goesOn = true;
    for (let offset = 0; offset < chunk.length;) {
      const { buffer, filled } = this.#writing;
      const part = chunk.subarray(offset, offset + buffer.length - filled);
      buffer.set(part, filled);
      offset += part.length;
      goesOn = this.#onFilled(part.length);
    }
    return goesOn;
  }

  /** False makes the socket wait. Even then a buffer is ready for what it reads first when it goes on. */
  #onFilled(count: number): boolean {
    this.#writing.filled += count;
    if (this.#isResting) {
      this.#socket?.destroy();
    }
    if (this.#writing.buffer.length - this.#writing.filled < MIN_ROOM_BYTES) {
      this.#writing = this.#takeSlot();
      this.#slots.push(this.#writing);
    }
    this.#isPaused ||= this.#free.length === 0 && this.#made >= BUFFERS;
    this.#wake?.();
    return !this.#isPaused;
  }

  #takeSlot(): Slot {
    const slot = this.#free.pop();
    if (slot !== undefined) {
      return slot;
    }
    this.#made += 1;
    return newSlot(Buffer.allocUnsafeSlow(BUFFER_BYTES));
  }

  /** Frees the slots that were read to their end, now that the consumer has done with them. */
  #giveBack(): void {
    for (
      let slot = this.#slots[0];
      slot !== undefined && slot !== this.#writing;
      slot = this.#slots[0]
    ) {
      if (slot.read < slot.filled) {
        break;
      }
      this.#slots.shift();
      if (slot.buffer.length === BUFFER_BYTES) {
        this.#free.push(newSlot(slot.buffer));
      } else {
        this.#made -= 1;
      }
    }
    if (this.#isPaused && (this.#free.length > 0 || this.#made < BUFFERS)) {
      this.#isPaused = false;
      this.#socket?.resume();
    }
  }

  #end(error: Error | undefined): void {
    this.#ending ??= { error };
    this.#wake?.();
  }
}

/** The event loop has gone on to its next turn; a turn asks every socket once. */
async function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function newSlot(buffer: Uint8Array): Slot {
  return { buffer, read: 0, filled: 0 };
}

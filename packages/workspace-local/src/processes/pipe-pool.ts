import { closeSync, constants, openSync } from 'node:fs';
import { Socket, type ConnectOpts, type SocketConstructorOpts } from 'node:net';
import { ToolError } from '@toolwright/core';
import type { OutputSource } from './output-source.ts';

/** Bytes that a stream is read by: what a pipe holds. */
const pieceBytes = 65_536;

/** How a pool gets more FIFOs and gets rid of one. */
export interface PipeSource {
  make(count: number): void;
  drop(path: string): void;
}

/** A FIFO whose reading end is open here, before anybody writes. */
export interface OutputPipe {
  readonly path: string;
  /** What reads it; to be opened once a writer has opened the path (before that, a read is an end of file). */
  read(): OutputSource;
  /** Closes an end that was never read. */
  abandon(): void;
}

/** A FIFO that a command will read. */
export interface InputPipe {
  readonly path: string;
  /** The writing end; call it once the reader has opened the path. */
  write(): Socket;
  abandon(): void;
}

/**
 * FIFOs for the streams of commands, used again and again. They are real pipes: what Node makes for a
 * child are sockets, on which opening `/dev/stdout` or `/dev/stderr` fails with ENXIO.
 */
export class PipePool {
  readonly #source: PipeSource;
  readonly #free: string[] = [];
  readonly #waiting: { resolve: (path: string) => void; reject: (error: Error) => void }[] = [];
  #asked = false;

  constructor(source: PipeSource) {
    this.#source = source;
  }

  /** Adds FIFOs that were made; none means that they cannot be. */
  add(paths: readonly string[]): void {
    this.#asked = false;
    for (const path of paths) this.#release(path);
    if (paths.length === 0)
      this.fail(new ToolError('unsupported', 'Commands need mkfifo (coreutils).'));
    else if (this.#waiting.length > 0) this.#ask();
  }

  /** Fails everybody who waits for a FIFO. */
  fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** Opens a FIFO for a command to write to. */
  async output(): Promise<OutputPipe> {
    const path = await this.#take();
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return {
      path,
      read: () =>
        pipeSource(fd, (ended) => {
          // Nobody holds the other end after an end of file. Otherwise a writer may still be there, whose
          // bytes must not reach the next command.
          if (ended) this.#release(path);
          else this.#source.drop(path);
        }),
      abandon: () => {
        closeSync(fd);
        this.#source.drop(path);
      },
    };
  }

  /** Opens a FIFO for a command to read from. */
  async input(): Promise<InputPipe> {
    const path = await this.#take();
    // Open for both, so that the reader's open finds a writer; the kept end is for writing alone, so that
    // a write after the reader's death fails instead of waiting for ever.
    const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    return {
      path,
      write: () => {
        const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
        closeSync(both);
        const socket = new Socket({ fd, readable: false, writable: true });
        socket.once('close', () => this.#source.drop(path));
        return socket;
      },
      abandon: () => {
        closeSync(both);
        this.#source.drop(path);
      },
    };
  }

  #release(path: string): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(path);
    else next.resolve(path);
  }

  #ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    this.#source.make(8 + this.#waiting.length);
  }

  #take(): Promise<string> {
    const path = this.#free.pop();
    if (this.#free.length < 3) this.#ask();
    if (path !== undefined) return Promise.resolve(path);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }
}

/** Reads into the same memory again and again: a flood leaves no garbage. */
function pipeSource(fd: number, onClosed: (ended: boolean) => void): OutputSource {
  let socket: Socket | undefined;
  return {
    open({ piece, closed }) {
      const options: SocketConstructorOpts & ConnectOpts = {
        fd,
        readable: true,
        writable: false,
        onread: {
          buffer: new Uint8Array(pieceBytes),
          callback: (length, buffer) => {
            piece(buffer.subarray(0, length));
            return false;
          },
        },
      };
      const opened = new Socket(options);
      socket = opened;
      let ended = false;
      opened.once('end', () => {
        ended = true;
      });
      opened.on('error', () => opened.destroy());
      opened.once('close', () => {
        onClosed(ended);
        closed();
      });
    },
    resume: () => void socket?.resume(),
    destroy: () => void socket?.destroy(),
  };
}

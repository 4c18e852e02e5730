import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { WriteText } from './claim-stdout.ts';
import { LineSplitter } from './line-splitter.ts';
import { readMessage, type Refusal } from './read-message.ts';

/** Bytes of one message, when nothing else is said. */
export const defaultMaxMessageBytes = 16 * 1024 * 1024;

/** Bytes of answers that wait for a client, when nothing else is said. */
const defaultMaxUnreadBytes = 64 * 1024 * 1024;

/** The streams of a stdio connection. */
export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly write: WriteText;
  /** Bytes of one message, at most; a longer one is answered as an error and skipped. Default 16 MiB. */
  readonly maxMessageBytes?: number;
  /** Bytes of answers that may wait for a client that does not read; beyond it, nothing more is read of it. */
  readonly maxUnreadBytes?: number;
  /** Sees each message first; true when it has taken it. */
  readonly takes?: (message: JSONRPCMessage) => boolean;
}

/**
 * JSON-RPC over lines. Unlike the SDK's own transport it answers what is no message (JSON-RPC 2.0, section 5.1), so
 * that no client waits for ever, and one message that is too long does not end the connection.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #streams: StdioStreams;
  readonly #lines: LineSplitter;
  #isClosed = false;

  constructor(streams: StdioStreams) {
    this.#streams = streams;
    this.#lines = new LineSplitter(streams.maxMessageBytes ?? defaultMaxMessageBytes, {
      onLine: (line) => this.#take(line),
      onTooLong: (bytes) =>
        this.#refuse({ id: null, code: -32_600, message: `A message has at most ${bytes} bytes.` }),
    });
  }

  async start(): Promise<void> {
    const { input, output } = this.#streams;
    input.on('data', this.#onData);
    input.once('end', this.#onEnd);
    input.once('close', this.#onEnd);
    input.on('error', this.#onEnd);
    // A client that has gone reads nothing more: that is the end of the connection, not of the process.
    output.on('error', this.#onEnd);
    if (input.readableEnded || input.destroyed) setImmediate(this.#onEnd);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(JSON.stringify(message));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { input } = this.#streams;
    input.off('data', this.#onData);
    input.off('end', this.#onEnd);
    input.off('close', this.#onEnd);
    input.pause();
    // The error listeners stay: late failures of a closed connection are nobody's business.
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer | string): void => {
    this.#lines.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    this.#waitForReader();
  };

  /** A client that asks and never reads would fill the memory of this process. */
  #waitForReader(): void {
    const { input, output, maxUnreadBytes = defaultMaxUnreadBytes } = this.#streams;
    if (output.writableLength <= maxUnreadBytes || input.isPaused()) return;
    input.pause();
    output.once('drain', () => {
      if (!this.#isClosed) input.resume();
    });
  }

  readonly #onEnd = (): void => void this.close();

  #take(line: string): void {
    for (const read of readMessage(line)) {
      if (this.#isClosed) return;
      if (read.kind === 'refused') this.#refuse(read.refusal);
      else {
        try {
          if (this.#streams.takes?.(read.message) !== true) this.onmessage?.(read.message);
        } catch (error) {
          this.onerror?.(error instanceof Error ? error : new Error(String(error)));
        }
      }
    }
  }

  #refuse({ id, code, message }: Refusal): void {
    this.onerror?.(new Error(message));
    void this.#write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  }

  #write(json: string): Promise<void> {
    const { output, write } = this.#streams;
    if (this.#isClosed || output.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      // A failure is told by the error event; it ends the connection.
      write(`${json}\n`, resolve);
      this.#waitForReader();
    });
  }
}

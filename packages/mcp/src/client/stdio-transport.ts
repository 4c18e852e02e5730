import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { LineReader } from './line-reader.ts';
import { endGroup, keepTrackOf, reapGroup } from './process-group.ts';
import type { ServerEndpoint } from './server-config.ts';
import { StderrTail } from './stderr-tail.ts';

/** Bytes of stderr that are kept. */
const STDERR_TAIL_BYTES = 8 * 1024;
/** Bytes that a server may leave unread in its stdin: whoever sends it more is told so. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** Milliseconds after a process has exited in which the rest of its output is still read. */
const DRAIN_MS = 30;

/** The id of an answer of which only both ends are there: in front of everything else, or behind it. */
const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/;
const ID_LAST = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Variables of this process that a server gets beside its configured ones. */
const INHERITED =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'PROGRAMFILES',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'USERNAME',
        'USERPROFILE',
      ]
    : ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];

/** What is known of a server's process, for people who look for a fault. */
export interface ProcessFacts {
  /** The last 8 KiB of stderr. */
  readonly stderrTail: string;
  /** Lines of stdout that were no messages. */
  readonly noiseLines: number;
  readonly lastNoise: string;
  /** How the process ended, such as `exit code 1`; undefined while it runs. */
  readonly ended: string | undefined;
}

/**
 * A server as a child process in a group of its own, spoken to over stdin and stdout. Unlike the SDK's transport it
 * takes grandchildren along, closes in well under a second, keeps a bounded tail of stderr, and loses one answer
 * instead of the connection when a message is too long.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #endpoint: Extract<ServerEndpoint, { kind: 'stdio' }>;
  readonly #reader: LineReader;
  readonly #stderr = new StderrTail(STDERR_TAIL_BYTES);
  #child: ChildProcessWithoutNullStreams | undefined;
  #exited: Promise<void> = Promise.resolve();
  #ended: string | undefined;
  #closed = false;
  #isMute = false;
  #drained: Promise<void> | undefined;
  #noiseLines = 0;
  #lastNoise = '';

  constructor(endpoint: Extract<ServerEndpoint, { kind: 'stdio' }>, maxMessageBytes: number) {
    this.#endpoint = endpoint;
    this.#reader = new LineReader(maxMessageBytes, {
      // Its members are checked where it is read; a line that is no message goes no further.
      message: (value) => this.onmessage?.(value as JSONRPCMessage),
      noise: (line) => {
        this.#noiseLines += 1;
        this.#lastNoise = line.slice(0, 200);
      },
      tooLong: ({ bytes, head, tail }) => this.#failOverlong(bytes, `${head}\n${tail}`),
    });
  }

  /** The SDK knows a transport over stdio by this and `stderr`. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  facts(): ProcessFacts {
    return {
      stderrTail: this.#stderr.text(),
      noiseLines: this.#noiseLines,
      lastNoise: this.#lastNoise,
      ended: this.#ended,
    };
  }

  async start(): Promise<void> {
    if (this.#child !== undefined) throw new Error('This transport was started before.');
    const { command, args, cwd, env } = this.#endpoint;
    const child = spawn(command, args, {
      cwd,
      env: { ...inherited(), ...env },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#reader.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on('error', (error) => this.onerror?.(error));
    }
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.#ended = 'it could not be started';
        reject(error);
      });
    });
    const { pid } = child;
    if (pid === undefined) throw new Error('The process has no id.');
    keepTrackOf(pid);
    child.on('error', (error) => this.onerror?.(error));
    child.stdout.once('end', () => void this.#onOutputEnd());
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        const how = signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
        this.#ended = this.#isMute ? `it closed its standard output; ${how}` : how;
        reapGroup(pid);
        resolve();
        void this.#finish(child);
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#ended !== undefined || !child.stdin.writable) {
      throw new Error('The server is not running.');
    }
    if (child.stdin.writableLength > MAX_UNREAD_BYTES) {
      throw new Error(`The server has left more than ${MAX_UNREAD_BYTES} bytes unread.`);
    }
    if (child.stdin.write(`${JSON.stringify(message)}\n`)) return;
    this.#drained ??= this.#untilDrained(child);
    await this.#drained;
  }

  /** Waits, for all who wait, until the server has read on. */
  async #untilDrained({ stdin }: ChildProcessWithoutNullStreams): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        const settle = (error?: Error): void => {
          stdin.off('drain', settle);
          stdin.off('close', settle);
          stdin.off('error', settle);
          if (error === undefined) resolve();
          else reject(error);
        };
        stdin.once('drain', settle);
        stdin.once('close', settle);
        stdin.once('error', settle);
      });
    } finally {
      this.#drained = undefined;
    }
  }

  async close(): Promise<void> {
    const child = this.#child;
    const pid = child?.pid;
    if (child === undefined || pid === undefined) {
      this.#announceClose();
      return;
    }
    child.stdin.end();
    if (this.#ended === undefined) await endGroup(pid, this.#exited);
    child.stdout.destroy();
    child.stderr.destroy();
    this.#announceClose();
  }

  /** One that lives on and can say nothing any more is of no use: it is ended like one that is closed. */
  async #onOutputEnd(): Promise<void> {
    await new Promise((resolve) => {
      setTimeout(resolve, DRAIN_MS).unref();
    });
    if (this.#ended !== undefined || this.#closed) return;
    this.#isMute = true;
    await this.close();
  }

  /** Reads what the process left in its pipe, which a grandchild may hold open, and then is done. */
  async #finish(child: ChildProcessWithoutNullStreams): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await Promise.race([
      new Promise((resolve) => child.once('close', resolve)),
      new Promise((resolve) => {
        timer = setTimeout(resolve, DRAIN_MS);
      }),
    ]);
    clearTimeout(timer);
    child.stdin.destroy();
    child.stdout.destroy();
    child.stderr.destroy();
    this.#announceClose();
  }

  #announceClose(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }

  /** The answer is lost, but whoever waits for it is told, and nobody else is harmed. */
  #failOverlong(bytes: number, glimpse: string): void {
    const id = ID_FIRST.exec(glimpse)?.[1] ?? ID_LAST.exec(glimpse)?.[1];
    if (id === undefined) {
      this.onerror?.(new Error(`A message of ${bytes} bytes was dropped.`));
      return;
    }
    this.onmessage?.({
      jsonrpc: '2.0',
      id: Number(id),
      error: { code: overlongCode, message: `The answer has ${bytes} bytes, more than is taken.` },
    });
  }
}

/** JSON-RPC code of our own for an answer that was longer than `maxMessageBytes`. */
export const overlongCode = -32_097;

function inherited(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = process.env[name];
    // A shell function smuggled through the environment (CVE-2014-6271) is no value.
    if (value !== undefined && !value.startsWith('()')) env[name] = value;
  }
  return env;
}

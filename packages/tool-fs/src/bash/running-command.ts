import type { ProcessExit, ProcessHandle } from '@toolwright/core';
import { OutputLog } from '../capture/output-log.ts';
import { StreamCapture, type OpenArtifact } from '../capture/stream-capture.ts';

/** What a {@link RunningCommand} is told beside the process. */
export interface RunningCommandOptions {
  readonly line: string;
  /** Where streams too long to keep go; null keeps beginning and end alone. */
  readonly openArtifact: OpenArtifact | null;
  /** Text as it arrives, whole characters of one stream at a time. */
  readonly onText?: (text: string) => void;
}

/** Bytes of output that are told as they arrive; a flood is of no use to watchers. */
const maxToldBytes = 1_048_576;

/** A command whose output is being read. */
export class RunningCommand {
  readonly line: string;
  readonly handle: ProcessHandle;
  readonly stdout: StreamCapture;
  readonly stderr: StreamCapture;
  /** Settles when both streams have ended or were let go. */
  readonly drained: Promise<void>;
  readonly #onText: ((text: string) => void) | undefined;
  readonly #decoders = { stdout: newDecoder(), stderr: newDecoder() };
  #log: OutputLog | null = null;
  #exit: ProcessExit | null = null;
  #ended = false;
  #told = 0;
  #lastOutput = performance.now();
  readonly #listeners = new Set<() => void>();

  constructor(handle: ProcessHandle, options: RunningCommandOptions) {
    this.line = options.line;
    this.handle = handle;
    this.stdout = new StreamCapture(options.openArtifact);
    this.stderr = new StreamCapture(options.openArtifact);
    this.#onText = options.onText;
    this.drained = this.#pump();
    void this.#awaitExit();
  }

  /** Null while it runs. */
  get exit(): ProcessExit | null {
    return this.#exit;
  }

  /** Whether nothing reads or writes its streams any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** From now on output is also kept for polling. */
  keepLog(): OutputLog {
    this.#log ??= new OutputLog();
    return this.#log;
  }

  /** Settles when all output was read, or none has come for `quietMs`; after `maxMs` in any case. */
  async settle(quietMs: number, maxMs: number): Promise<void> {
    const deadline = performance.now() + maxMs;
    for (let now = performance.now(); now < deadline; now = performance.now()) {
      const quiet = now - this.#lastOutput;
      if (quiet >= quietMs) return;
      if (await endsWithin(this.drained, Math.min(quietMs - quiet, deadline - now))) return;
    }
  }

  /** Settles at the next output or at the end, or after `maxMs`. */
  async change(maxMs: number): Promise<void> {
    let listener = (): void => {};
    const next = new Promise<void>((resolve) => {
      listener = resolve;
      this.#listeners.add(listener);
    });
    await endsWithin(next, maxMs);
    this.#listeners.delete(listener);
  }

  async #pump(): Promise<void> {
    for await (const { stream, bytes } of this.handle.output) {
      this.#lastOutput = performance.now();
      this.#log?.push(bytes);
      this.#tell(stream, bytes);
      await this[stream].push(bytes);
      this.#notify();
    }
    this.#ended = true;
    this.#notify();
  }

  async #awaitExit(): Promise<void> {
    this.#exit = await this.handle.exit;
    this.#notify();
  }

  #tell(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    if (this.#onText === undefined || this.#told >= maxToldBytes) return;
    this.#told += bytes.length;
    const text = this.#decoders[stream].decode(bytes, { stream: true });
    if (text !== '') this.#onText(text);
    if (this.#told >= maxToldBytes) this.#onText('\n[further output is not streamed]\n');
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}

function newDecoder(): InstanceType<typeof TextDecoder> {
  return new TextDecoder('utf-8', { ignoreBOM: true });
}

/** Whether a promise settles within a time. */
export async function endsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

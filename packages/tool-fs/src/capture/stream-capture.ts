import { createHash, type Hash } from 'node:crypto';
import type { ArtifactWriter } from '@toolwright/core';

/** Bytes kept of the beginning and of the end of a stream, each. */
const keptBytes = 65_536;

/** What became of the whole stream. */
export interface CapturedStream {
  /** Bytes that went by. */
  readonly bytes: number;
  /** Bytes of it that the rendered text shows. */
  readonly capturedBytes: number;
  readonly truncated: boolean;
  /** Of the whole stream, where it is longer than what is kept; 64 lowercase hex digits. */
  readonly sha256: string | null;
  readonly text: string;
}

const notKept = { uri: null, notRetained: 'store_failed' };

/** Opens the artifact that takes a whole stream; called once, when the stream is longer than what is kept. */
export type OpenArtifact = () => Promise<ArtifactWriter>;

/**
 * Takes a stream of any length in constant memory: its first and last 64 KiB are kept, everything is counted
 * and hashed, and what is longer goes whole into an artifact while it runs.
 */
export class StreamCapture {
  #openArtifact: OpenArtifact | null;
  #head: Uint8Array[] = [];
  #headBytes = 0;
  #tail: Buffer | null = null;
  #tailEnd = 0;
  #bytes = 0;
  #artifact: ArtifactWriter | null = null;
  #failed = false;
  #hash: Hash | null = null;

  constructor(openArtifact: OpenArtifact | null) {
    this.#openArtifact = openArtifact;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async push(chunk: Uint8Array): Promise<void> {
    this.#bytes += chunk.length;
    const room = keptBytes - this.#headBytes;
    const first = chunk.subarray(0, Math.max(room, 0));
    if (first.length > 0) {
      this.#head.push(new Uint8Array(first)); // the source reads into the same memory again
      this.#headBytes += first.length;
    }
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    if (this.#tail === null) await this.#begin();
    this.#pushTail(rest);
    this.#hash?.update(rest);
    await this.#keep(rest);
  }

  /**
   * Ends the artifact, if there is one; what comes later goes into none. Its URI, or null with the reason
   * why it was not kept.
   */
  async finish(): Promise<{ readonly uri: string | null; readonly notRetained?: string }> {
    const artifact = this.#artifact;
    this.#artifact = null;
    this.#openArtifact = null;
    if (artifact === null) return this.#failed ? notKept : { uri: null };
    const retention = await artifact.finish();
    return retention.retained
      ? { uri: retention.artifact.uri }
      : { uri: null, notRetained: retention.reason };
  }

  /**
   * The stream as text of at most `maxBytes`: whole, or beginning and end with `marker(omitted bytes)`
   * between. No character is split; invalid bytes become U+FFFD.
   */
  render(maxBytes: number, marker: (omittedBytes: number) => string): CapturedStream {
    const tail = this.#orderedTail();
    const head = Buffer.concat(this.#head, this.#headBytes);
    const sha256 = this.#hash?.copy().digest('hex') ?? null;
    const whole = head.length + tail.length === this.#bytes;
    if (whole) {
      const all = Buffer.concat([head, tail]);
      const text = decode(all);
      if (Buffer.byteLength(text) <= maxBytes) {
        return { bytes: this.#bytes, capturedBytes: all.length, truncated: false, sha256, text };
      }
    }
    const room = Math.max(maxBytes - Buffer.byteLength(marker(this.#bytes)), 0);
    // Invalid bytes grow to three when they are decoded.
    for (let budget = room; ; budget = Math.floor(budget * 0.75)) {
      const from = whole ? Buffer.concat([head, tail]) : tail;
      const first = cutEnd(head.subarray(0, Math.ceil(budget / 2)));
      const last = cutStart(from.subarray(Math.max(from.length - Math.floor(budget / 2), 0)));
      const shown = first.length + last.length;
      const text = `${decode(first)}${marker(this.#bytes - shown)}${decode(last)}`;
      if (Buffer.byteLength(text) <= maxBytes || budget === 0) {
        return { bytes: this.#bytes, capturedBytes: shown, truncated: true, sha256, text };
      }
    }
  }

  async #begin(): Promise<void> {
    this.#tail = Buffer.allocUnsafe(keptBytes);
    this.#hash = createHash('sha256');
    for (const chunk of this.#head) this.#hash.update(chunk);
    try {
      this.#artifact = (await this.#openArtifact?.()) ?? null;
    } catch {
      this.#failed = true;
    }
    for (const chunk of this.#head) await this.#keep(chunk);
  }

  /** A store that breaks must not stop the command. */
  async #keep(bytes: Uint8Array): Promise<void> {
    try {
      await this.#artifact?.write(bytes);
    } catch {
      this.#artifact = null;
      this.#failed = true;
    }
  }

  #pushTail(bytes: Uint8Array): void {
    const tail = this.#tail;
    if (tail === null) return;
    const last = bytes.subarray(Math.max(bytes.length - keptBytes, 0));
    const start = (this.#tailEnd + bytes.length - last.length) % keptBytes;
    const before = last.subarray(0, keptBytes - start);
    tail.set(before, start);
    tail.set(last.subarray(before.length), 0);
    this.#tailEnd = (this.#tailEnd + bytes.length) % keptBytes;
  }

  #orderedTail(): Buffer {
    const length = Math.min(this.#bytes - this.#headBytes, keptBytes);
    if (this.#tail === null) return Buffer.alloc(0);
    if (length < keptBytes) return this.#tail.subarray(0, length);
    return Buffer.concat([
      this.#tail.subarray(this.#tailEnd),
      this.#tail.subarray(0, this.#tailEnd),
    ]);
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Without a character at the end that is not all there. */
function cutEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}

/** Without the rest of a character that began before. */
function cutStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

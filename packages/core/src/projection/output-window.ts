import { GrowingBytes } from './growing-bytes.ts';

/** A marker that stands in a window in place of some bytes of the original. */
export interface WindowMarker {
  /** First byte of the line before it that it tells about; positions count from the start of the bytes beside them. */
  readonly lineStart: number;
  /** First byte; negative where it was forgotten. */
  readonly start: number;
  /** The byte after its last one. */
  readonly end: number;
  /** How many bytes of the original it stands for. */
  readonly replacedBytes: number;
}

/** One end of everything that was appended. */
export interface WindowEnd {
  readonly bytes: Uint8Array;
  readonly markers: readonly WindowMarker[];
}

/**
 * Remembers the beginning and the end of a text that is appended bit by bit, and forgets the middle.
 * Its memory is bounded by three times the two capacities, whatever comes in.
 */
export class OutputWindow {
  readonly #frontCapacity: number;
  readonly #backCapacity: number;
  readonly #front = new GrowingBytes();
  readonly #back = new GrowingBytes();
  readonly #frontMarkers: WindowMarker[] = [];
  #backMarkers: WindowMarker[] = [];
  #length = 0;

  constructor(frontCapacity: number, backCapacity: number) {
    this.#frontCapacity = frontCapacity;
    this.#backCapacity = backCapacity;
  }

  /** Bytes appended so far, markers included. */
  get length(): number {
    return this.#length;
  }

  /** Appends bytes of the original. */
  append(bytes: Uint8Array): void {
    const room = this.#frontCapacity - this.#length;
    if (room > 0) this.#front.append(bytes.subarray(0, room));
    this.#length += bytes.length;
    if (this.#backCapacity === 0) return;
    const unseen = bytes.length - this.#backCapacity;
    if (unseen > 0) this.#back.clear();
    this.#back.append(unseen > 0 ? bytes.subarray(unseen) : bytes);
    if (this.#back.length > 2 * this.#backCapacity) this.#back.keepLast(this.#backCapacity);
    const offset = this.#length - this.#back.length;
    if ((this.#backMarkers[0]?.end ?? Infinity) <= offset) {
      this.#backMarkers = this.#backMarkers.filter(({ end }) => end > offset);
    }
  }

  /** Appends a marker that tells about the last `lineLength` bytes and stands for `replacedBytes` bytes of the original. */
  appendMarker(text: string, lineLength: number, replacedBytes: number): void {
    const bytes = new TextEncoder().encode(text);
    const start = this.#length;
    const marker = {
      lineStart: start - lineLength,
      start,
      end: start + bytes.length,
      replacedBytes,
    };
    if (this.#length < this.#frontCapacity) this.#frontMarkers.push(marker);
    if (this.#backCapacity > 0) this.#backMarkers.push(marker);
    this.append(bytes);
  }

  /** The beginning: as many bytes as the front capacity, or all. */
  front(): WindowEnd {
    return { bytes: this.#front.view(), markers: this.#frontMarkers };
  }

  /** The end: at least as many bytes as the back capacity, or all. */
  back(): WindowEnd {
    const offset = this.#length - this.#back.length;
    const markers = this.#backMarkers.map(({ lineStart, start, end, replacedBytes }) => ({
      lineStart: lineStart - offset,
      start: start - offset,
      end: end - offset,
      replacedBytes,
    }));
    return { bytes: this.#back.view(), markers };
  }
}

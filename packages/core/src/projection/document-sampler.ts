import { GrowingBytes } from './growing-bytes.ts';
import { ItemSample } from './item-sample.ts';
import type { JsonHandler } from './json-scanner.ts';

/** A piece of a JSON text: bytes as they were, or an array of which they have nothing, not even the brackets. */
export type DocumentPart = Uint8Array | ItemSample;

/** Arrays are looked for inside at most this many objects. */
const MAX_ARRAY_DEPTH = 8;

/** Of so many arrays a sample is taken; further ones stay as they are. */
const MAX_SAMPLED_ARRAYS = 32;

const OPEN_ARRAY = 0x5b;

/** Takes samples of the arrays of one JSON text that stand at its top or inside of objects alone: `{"items": […]}`. */
export class DocumentSampler implements JsonHandler {
  /** How deep values must be told. */
  watchedDepth = MAX_ARRAY_DEPTH;
  /** Bytes outside of sampled arrays. */
  plainBytes = 0;
  readonly #maxItems: number;
  readonly #maxBytes: number;
  readonly #parts: (GrowingBytes | ItemSample)[] = [];
  #arrays = 0;
  #plain = new GrowingBytes();
  #array: { readonly sample: ItemSample; readonly itemDepth: number } | undefined;
  /** How deep the array is that is being read and stays as it is. */
  #plainArrayDepth: number | undefined;
  #chunk: Uint8Array = new Uint8Array();
  /** Where in the chunk the bytes begin that are not taken yet: plain ones, or those of the current item. */
  #from = 0;
  #isInItem = false;

  constructor(maxItems: number, maxBytes: number) {
    this.#maxItems = maxItems;
    this.#maxBytes = maxBytes;
    this.#parts.push(this.#plain);
  }

  get parts(): readonly DocumentPart[] {
    return this.#parts.map((part) => (part instanceof GrowingBytes ? part.view() : part));
  }

  /** Call it before the values of a chunk are told. */
  beginChunk(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#from = 0;
  }

  valueStart(position: number, depth: number, byte: number): void {
    if (this.#array !== undefined) {
      if (depth !== this.#array.itemDepth) return;
      this.#isInItem = true;
      this.#from = position;
    } else if (byte === OPEN_ARRAY) {
      if (this.#arrays < MAX_SAMPLED_ARRAYS) this.#beginArray(position, depth);
      else this.#plainArrayDepth = this.watchedDepth = depth;
    }
  }

  valueEnd(position: number, depth: number): void {
    if (this.#plainArrayDepth === depth) {
      this.#plainArrayDepth = undefined;
      this.watchedDepth = MAX_ARRAY_DEPTH;
    }
    if (this.#array === undefined) return;
    const { sample, itemDepth } = this.#array;
    if (depth === itemDepth) {
      sample.end(this.#chunk.subarray(this.#from, position));
      this.#isInItem = false;
    } else {
      sample.settle();
      this.#array = undefined;
      this.watchedDepth = MAX_ARRAY_DEPTH;
      this.#plain = new GrowingBytes();
      this.#parts.push(this.#plain);
      this.#from = position;
    }
  }

  /** Call it when all values of the chunk are told; the chunk may be reused afterwards. */
  endChunk(): void {
    if (this.#array === undefined) {
      this.#takePlain(this.#chunk.length);
    } else {
      if (this.#isInItem) this.#array.sample.begin(this.#chunk.subarray(this.#from));
      this.#array.sample.settle();
    }
  }

  #beginArray(position: number, depth: number): void {
    this.#takePlain(position);
    const sample = new ItemSample(this.#maxItems, this.#maxBytes);
    this.#arrays += 1;
    this.#parts.push(sample);
    this.#array = { sample, itemDepth: depth + 1 };
    this.watchedDepth = depth + 1;
  }

  /** Keeps no more than could ever be shown. */
  #takePlain(end: number): void {
    const bytes = this.#chunk.subarray(this.#from, end);
    this.plainBytes += bytes.length;
    if (this.plainBytes <= this.#maxBytes) this.#plain.append(bytes);
  }
}

import { DocumentSampler, type DocumentPart } from './document-sampler.ts';
import { ItemSample } from './item-sample.ts';
import { JsonScanner, type JsonHandler } from './json-scanner.ts';

/** What a sampler has of a text that is JSON throughout. */
export type JsonSample =
  | { readonly kind: 'document'; readonly parts: readonly DocumentPart[] }
  | { readonly kind: 'lines'; readonly lines: ItemSample; readonly endsWithLineBreak: boolean };

/**
 * Takes samples of a text while it is read, if it is JSON: of the arrays of one text, or of the lines of NDJSON.
 * Keeps raw slices. Memory is bounded by the bytes that may be shown and the number of arrays, whatever comes in.
 */
export class JsonSampler implements JsonHandler {
  readonly #scanner: JsonScanner;
  readonly #maxBytes: number;
  readonly #lines: ItemSample;
  /** Until a second text begins. */
  #document: DocumentSampler | undefined;
  #chunk: Uint8Array = new Uint8Array();
  /** Where in the chunk the current line begins. */
  #lineFrom: number | undefined;
  #isGivenUp = false;

  /** Takes at most `maxItems` items of an array, or lines; keeps nothing beyond what could stand in `maxBytes`. */
  constructor(maxItems: number, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#lines = new ItemSample(maxItems, maxBytes);
    this.#document = new DocumentSampler(maxItems, maxBytes);
    this.#scanner = new JsonScanner(this);
    this.#scanner.watchedDepth = this.#document.watchedDepth;
  }

  /** Takes the next bytes; they may be reused afterwards. */
  push(chunk: Uint8Array): void {
    if (this.#isGivenUp) return;
    this.#chunk = chunk;
    if (this.#lineFrom !== undefined) this.#lineFrom = 0;
    this.#document?.beginChunk(chunk);
    this.#scanner.push(chunk);
    if (this.#lineFrom !== undefined) this.#lines.begin(chunk.subarray(this.#lineFrom));
    this.#lines.settle();
    this.#document?.endChunk();
    // What is too large beside its arrays is too large as a line, too.
    const isTooLarge = (this.#document?.plainBytes ?? 0) > this.#maxBytes;
    if (isTooLarge || this.#scanner.isBroken) this.#giveUp();
  }

  /** What was sampled; `undefined` if the text is no JSON. */
  finish(): JsonSample | undefined {
    if (this.#isGivenUp || !this.#scanner.isComplete) return undefined;
    if (this.#document !== undefined) return { kind: 'document', parts: this.#document.parts };
    const { endsWithLineBreak, hasInnerLineBreak } = this.#scanner;
    return hasInnerLineBreak ? undefined : { kind: 'lines', lines: this.#lines, endsWithLineBreak };
  }

  valueStart(position: number, depth: number, byte: number): void {
    if (depth === 0) {
      if (this.#lines.count > 0) this.#document = undefined;
      this.#lineFrom = position;
    }
    this.#document?.valueStart(position, depth, byte);
    this.#scanner.watchedDepth = this.#document?.watchedDepth ?? 0;
  }

  valueEnd(position: number, depth: number): void {
    if (depth === 0) {
      this.#lines.end(this.#chunk.subarray(this.#lineFrom ?? 0, position));
      this.#lineFrom = undefined;
    }
    this.#document?.valueEnd(position, depth);
    this.#scanner.watchedDepth = this.#document?.watchedDepth ?? 0;
  }

  #giveUp(): void {
    this.#isGivenUp = true;
    this.#document = undefined;
  }
}

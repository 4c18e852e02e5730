import { concatenateBytes } from '../artifacts/concatenate-bytes.ts';

interface TailItem {
  bytes: Uint8Array;
  /** Whether the bytes belong to the sample; if not, they lie in the chunk that is being read. */
  isOwn: boolean;
}

/**
 * Keeps raw slices of the first and the last items of a sequence that is read bit by bit.
 * Holds at most `maxBytes` of either, so its memory is bounded whatever comes in.
 */
export class ItemSample {
  /** Items read so far. */
  count = 0;
  /** The first items, without a gap. */
  readonly head: Uint8Array[] = [];
  readonly #headItems: number;
  readonly #tailItems: number;
  readonly #maxBytes: number;
  #headBytes = 0;
  #isHeadFull = false;
  /** A ring: the oldest item is at `#tailFirst`. */
  readonly #tail: (TailItem | undefined)[] = [];
  #tailFirst = 0;
  #tailCount = 0;
  #tailBytes = 0;
  /** The beginning of an item that goes on in the next chunk. */
  #begun: Uint8Array[] = [];
  #begunBytes = 0;

  constructor(maxItems: number, maxBytes: number) {
    this.#headItems = Math.ceil(maxItems / 2);
    this.#tailItems = Math.floor(maxItems / 2);
    this.#maxBytes = maxBytes;
  }

  /** The last items, without a gap; none of them is in the head. */
  get tail(): readonly Uint8Array[] {
    return this.#tailItemsInOrder().map(({ bytes }) => bytes);
  }

  /** Takes a part of an item whose end has not come yet; the bytes may be reused afterwards. */
  begin(part: Uint8Array): void {
    this.#begunBytes += part.length;
    if (this.#begunBytes > this.#maxBytes) this.#begun = [];
    else if (part.length > 0) this.#begun.push(new Uint8Array(part));
  }

  /** Takes the rest of an item; the bytes must stay as they are until `settle`. */
  end(part: Uint8Array): void {
    this.count += 1;
    const length = this.#begunBytes + part.length;
    const isOwn = this.#begunBytes > 0;
    const bytes = isOwn ? concatenateBytes([...this.#begun, part]) : part;
    this.#begun = [];
    this.#begunBytes = 0;
    // An item that was too long to be kept has lost its beginning: `length` is right, `bytes` is not.
    if (!this.#isHeadFull && this.#headBytes + length <= this.#maxBytes) {
      this.head.push(isOwn ? bytes : new Uint8Array(bytes));
      this.#headBytes += length;
      this.#isHeadFull = this.head.length === this.#headItems;
      return;
    }
    this.#isHeadFull = true;
    this.#addToTail({ bytes, isOwn }, length);
  }

  /** Copies what still lies in a chunk that is about to be reused. */
  settle(): void {
    for (const item of this.#tailItemsInOrder()) {
      if (!item.isOwn) item.bytes = new Uint8Array(item.bytes);
      item.isOwn = true;
    }
  }

  #addToTail(item: TailItem, length: number): void {
    while (
      this.#tailCount > 0 &&
      (this.#tailCount === this.#tailItems || this.#tailBytes + length > this.#maxBytes)
    ) {
      this.#tailBytes -= this.#tail[this.#tailFirst]?.bytes.length ?? 0;
      this.#tail[this.#tailFirst] = undefined;
      this.#tailFirst = (this.#tailFirst + 1) % this.#tailItems;
      this.#tailCount -= 1;
    }
    if (this.#tailItems === 0 || length > this.#maxBytes) return;
    this.#tail[(this.#tailFirst + this.#tailCount) % this.#tailItems] = item;
    this.#tailCount += 1;
    this.#tailBytes += length;
  }

  #tailItemsInOrder(): TailItem[] {
    return Array.from({ length: this.#tailCount }, (_, index) => {
      const item = this.#tail[(this.#tailFirst + index) % this.#tailItems];
      if (item === undefined) throw new RangeError('A kept item is missing');
      return item;
    });
  }
}

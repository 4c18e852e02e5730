import { ToolError } from '../errors/tool-error.ts';
import type { EventOptions, EventStream, ToolEvent } from './tool-event.ts';

/** Events that a consumer may hold when nothing else is said. */
export const defaultEventCapacity = 1_024;

/** Hands each event to every listener without ever waiting for one. */
export class EventBus {
  readonly #consumers = new Set<Consumer>();
  #seq = 0;
  #closed = false;

  /** Whether anybody listens; an event without listeners need not be built. */
  get active(): boolean {
    return this.#consumers.size > 0;
  }

  /** The number of the next event. */
  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  emit(event: ToolEvent): void {
    for (const consumer of this.#consumers) consumer.push(event);
  }

  /** Events from now on. Errors: `TypeError` for a capacity that is no number from 0 up. */
  open(options: EventOptions = {}): EventStream {
    const { capacity = defaultEventCapacity } = options;
    // Anything else would never be reached.
    if (!(typeof capacity === 'number' && capacity >= 0)) {
      throw new TypeError('The capacity of an event stream is a number from 0 up.');
    }
    const consumer = new Consumer(capacity, () => {
      this.#consumers.delete(consumer);
      options.signal?.removeEventListener('abort', close);
    });
    const close = (): void => consumer.close();
    if (this.#closed || options.signal?.aborted === true) consumer.close();
    else {
      this.#consumers.add(consumer);
      options.signal?.addEventListener('abort', close, { once: true });
    }
    return consumer;
  }

  /** Ends every stream after what it holds has been read. */
  close(): void {
    this.#closed = true;
    for (const consumer of this.#consumers) consumer.close();
  }
}

/** Events after which a consumer that has not read one of them, and holds more than its capacity, does not read. */
const unreadAtMost = 16 * defaultEventCapacity;

/** Deltas and progress: what a consumer that lags may miss. */
function isDroppable(event: ToolEvent): boolean {
  return event.type === 'tool_output_delta' || event.type === 'tool_progress';
}

class Consumer implements EventStream {
  dropped = 0;
  /** Events that are held; one that was dropped has left a hole, so that dropping moves nothing. */
  #queue: (ToolEvent | undefined)[] = [];
  #head = 0;
  #held = 0;
  /** How many of the held ones can be dropped, and where the oldest of them may stand at the earliest. */
  #droppable = 0;
  #oldest = 0;
  #closed = false;
  /** Events that came since one was read. */
  #sinceRead = 0;
  #unread: ToolError | undefined;
  /** Reads that nothing was there for: then nothing is held. */
  readonly #waiting: ((next: IteratorResult<ToolEvent, undefined>) => void)[] = [];
  readonly #capacity: number;
  readonly #onClose: () => void;

  constructor(capacity: number, onClose: () => void) {
    this.#capacity = capacity;
    this.#onClose = onClose;
  }

  push(event: ToolEvent): void {
    if (this.#closed) return;
    const reader = this.#waiting.shift();
    if (reader !== undefined) {
      reader({ done: false, value: event });
      return;
    }
    const droppable = isDroppable(event);
    if (this.#held >= this.#capacity) {
      // What must be kept takes the place of the oldest that need not be; without one it is let in all the same.
      if (droppable || this.#droppable > 0) this.dropped += 1;
      if (droppable) return;
      if (this.#droppable > 0) this.#dropOldest();
      else if (this.#sinceRead >= Math.max(unreadAtMost, 16 * this.#capacity)) {
        this.#giveUp();
        return;
      }
    }
    this.#sinceRead += 1;
    this.#queue.push(event);
    this.#held += 1;
    if (droppable) this.#droppable += 1;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onClose();
    for (const reader of this.#waiting.splice(0)) reader({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterator<ToolEvent, undefined, undefined> {
    return {
      next: () => this.#next(),
      return: async () => {
        this.close();
        this.#letGo();
        return { done: true, value: undefined };
      },
    };
  }

  /** The next event: at once if there is one, else when it comes; of several waiting reads each gets its own. */
  #next(): Promise<IteratorResult<ToolEvent, undefined>> {
    const event = this.#take();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.#unread !== undefined) return Promise.reject(this.#unread);
    if (this.#closed) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Nobody reads: what is held goes, and who comes to read after all is told. */
  #giveUp(): void {
    this.dropped += this.#held + 1;
    this.#unread = new ToolError(
      'limit_exceeded',
      `Nobody read this stream while ${this.#sinceRead} events came; it was ended, and the ${this.#held} that it held are lost. Read events as they come, or close the stream.`,
      { reason: 'events_unread' },
    );
    this.close();
    this.#letGo();
  }

  #letGo(): void {
    this.#queue = [];
    this.#head = 0;
    this.#held = 0;
    this.#droppable = 0;
  }

  #take(): ToolEvent | undefined {
    while (this.#head < this.#queue.length) {
      const event = this.#queue[this.#head];
      this.#queue[this.#head] = undefined;
      this.#head += 1;
      if (event === undefined) continue;
      this.#held -= 1;
      this.#sinceRead = 0;
      if (isDroppable(event)) this.#droppable -= 1;
      this.#compact();
      return event;
    }
    this.#compact();
    return undefined;
  }

  #compact(): void {
    if (this.#head <= 256 || this.#head * 2 <= this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#oldest = Math.max(0, this.#oldest - this.#head);
    this.#head = 0;
  }

  #dropOldest(): void {
    for (let i = Math.max(this.#head, this.#oldest); i < this.#queue.length; i += 1) {
      const event = this.#queue[i];
      if (event === undefined || !isDroppable(event)) continue;
      this.#queue[i] = undefined;
      this.#oldest = i + 1;
      this.#held -= 1;
      this.#droppable -= 1;
      return;
    }
  }
}

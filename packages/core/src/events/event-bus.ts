import type {
  EventEnvelope,
  EventOptions,
  EventStream,
  ToolEvent,
  ToolEventBody,
} from './tool-event.ts';

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

  emit(envelope: Omit<EventEnvelope, 'seq'>, body: ToolEventBody): void {
    this.#seq += 1;
    if (this.#consumers.size === 0) return;
    const event: ToolEvent = { seq: this.#seq, ...envelope, ...body };
    for (const consumer of this.#consumers) consumer.push(event);
  }

  /** Events from now on. */
  open(options: EventOptions = {}): EventStream {
    const consumer = new Consumer(options.capacity ?? defaultEventCapacity, () => {
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

/** Deltas and progress: what a consumer that lags may miss. */
function isDroppable(event: ToolEvent): boolean {
  return event.type === 'tool_output_delta' || event.type === 'tool_progress';
}

class Consumer implements EventStream {
  dropped = 0;
  #queue: ToolEvent[] = [];
  #head = 0;
  #closed = false;
  #wake: (() => void) | undefined;
  readonly #capacity: number;
  readonly #onClose: () => void;

  constructor(capacity: number, onClose: () => void) {
    this.#capacity = capacity;
    this.#onClose = onClose;
  }

  push(event: ToolEvent): void {
    if (this.#closed) return;
    if (this.#queue.length - this.#head >= this.#capacity && !this.#makeRoom(event)) {
      this.dropped += 1;
      return;
    }
    this.#queue.push(event);
    this.#wake?.();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onClose();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ToolEvent> {
    try {
      for (;;) {
        const event = this.#queue[this.#head];
        if (event !== undefined) {
          this.#head += 1;
          if (this.#head > 256 && this.#head * 2 > this.#queue.length) {
            this.#queue = this.#queue.slice(this.#head);
            this.#head = 0;
          }
          yield event;
        } else if (this.#closed) return;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          this.#wake = undefined;
        }
      }
    } finally {
      this.close();
      this.#queue = [];
      this.#head = 0;
    }
  }

  /**
   * Makes room for an event: the oldest droppable one goes; an event that must be kept is let in over the
   * capacity when there is none, a droppable one is not.
   */
  #makeRoom(event: ToolEvent): boolean {
    if (isDroppable(event)) return false;
    for (let i = this.#head; i < this.#queue.length; i += 1) {
      const held = this.#queue[i];
      if (held !== undefined && isDroppable(held)) {
        this.#queue.splice(i, 1);
        this.dropped += 1;
        return true;
      }
    }
    return true;
  }
}

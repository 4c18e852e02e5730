import type { EventStream, Session, ToolEvent } from '@toolwright/core';

/** Hears of the progress of one call. */
export type ProgressListener = (event: Extract<ToolEvent, { type: 'tool_progress' }>) => void;

/** Hands a session's progress to whoever watches a call: one stream for all, and none while nobody watches. */
export class CallEvents {
  readonly #session: Session;
  readonly #listeners = new Map<string, ProgressListener>();
  #stream: EventStream | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Watches a call from before it starts; returns how to stop. */
  watch(id: string, listener: ProgressListener): () => void {
    this.#listeners.set(id, listener);
    if (this.#stream === undefined) {
      this.#stream = this.#session.events();
      void this.#pump(this.#stream);
    }
    return () => {
      if (this.#listeners.get(id) !== listener) return;
      this.#listeners.delete(id);
      if (this.#listeners.size > 0) return;
      this.#stream?.close();
      this.#stream = undefined;
    };
  }

  /** Waits until what was told before has reached its listeners. */
  settled(): Promise<void> {
    // The stream hands on what it holds without leaving the microtask queue.
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  async #pump(stream: EventStream): Promise<void> {
    for await (const event of stream) {
      if (event.type === 'tool_progress') this.#listeners.get(event.invocation_id)?.(event);
    }
  }
}

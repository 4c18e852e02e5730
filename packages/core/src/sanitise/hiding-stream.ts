import { concatenateBytes } from '../artifacts/concatenate-bytes.ts';
import type { PatternAutomaton } from './pattern-automaton.ts';

/** What stands in an output in place of a registered secret. */
export const HIDDEN_SECRET = '[REDACTED]';

const REPLACEMENT = new TextEncoder().encode(HIDDEN_SECRET);

/** A range that holds a secret, in bytes from the start of the held ones. */
interface Span {
  readonly start: number;
  readonly end: number;
  /** Its beginning has come out already, as the replacement. */
  readonly isShown: boolean;
}

/**
 * Replaces what an automaton finds in bytes that come in parts. Bytes that the next part could make a secret of are held
 * back, so none comes out in pieces; what is held is shorter than the longest pattern. Overlapping finds are hidden
 * together. Everything else passes unchanged. What comes out may share memory with the part that went in.
 */
export class HidingStream {
  /** Whether something was found so far. */
  hasHidden = false;
  readonly #automaton: PatternAutomaton;
  #held: Uint8Array = new Uint8Array();
  #state = 0;
  #spans: Span[] = [];

  constructor(automaton: PatternAutomaton) {
    this.#automaton = automaton;
  }

  /** Takes the next part and returns what may come out by now. */
  push(part: Uint8Array): Uint8Array {
    this.#scan(part);
    const whole = this.#held.length === 0 ? part : concatenateBytes([this.#held, part]);
    // A pattern that is found later may begin here at the earliest.
    return this.#release(whole, whole.length - (this.#automaton.depth[this.#state] ?? 0));
  }

  /** Ends the stream and returns the rest. */
  end(): Uint8Array {
    this.#state = 0;
    return this.#release(this.#held, this.#held.length);
  }

  #scan(bytes: Uint8Array): void {
    const automaton = this.#automaton;
    let state = this.#state;
    let position = 0;
    while (position < bytes.length) {
      if (state === 0) {
        position = automaton.skip(bytes, position);
        if (position === bytes.length) break;
      }
      state = automaton.next(state, bytes[position] ?? 0);
      position += 1;
      const length = automaton.matchLength[state] ?? 0;
      if (length > 0) this.#addSpan(this.#held.length + position, length);
    }
    this.#state = state;
  }

  #addSpan(end: number, length: number): void {
    let start = end - length;
    let isShown = false;
    for (
      let last = this.#spans.at(-1);
      last !== undefined && last.end > start;
      last = this.#spans.at(-1)
    ) {
      start = Math.min(start, last.start);
      isShown ||= last.isShown;
      this.#spans.pop();
    }
    this.#spans.push({ start, end, isShown });
    this.hasHidden = true;
  }

  /** Lets out what stands before `open`, and holds the rest. */
  #release(whole: Uint8Array, open: number): Uint8Array {
    const parts: Uint8Array[] = [];
    let from = 0;
    let settled = 0;
    for (const span of this.#spans) {
      if (span.start >= open) break;
      if (!span.isShown) parts.push(whole.subarray(from, span.start), REPLACEMENT);
      from = Math.min(span.end, open);
      if (span.end > open) break;
      settled += 1;
    }
    this.#spans = this.#spans.slice(settled).map(({ start, end, isShown }) => ({
      start: Math.max(0, start - open),
      end: end - open,
      isShown: isShown || start < open,
    }));
    // A copy: the part may be reused by whoever gave it.
    this.#held = new Uint8Array(whole.subarray(open));
    parts.push(whole.subarray(from, open));
    return parts.length === 1 ? whole.subarray(from, open) : concatenateBytes(parts);
  }
}

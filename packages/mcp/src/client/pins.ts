import type { JsonObject } from '@toolwright/core';
import { changedParts } from './foreign-tool.ts';

/** What a tool was when it was first seen. */
interface Pin {
  readonly pin: string;
  readonly definition: JsonObject;
}

/**
 * Trust on first use: the definition that a session saw first is the one that its host and its person know. A server that
 * changes a tool under them (CVE-2025-54136) loses its word on it until it changes it back.
 */
export class Pins {
  readonly #first = new Map<string, Pin>();
  readonly #last = new Map<string, string>();

  /** Takes note of a definition; the parts that differ from the first one, when it was not seen just before. */
  see(tool: string, seen: Pin): readonly string[] | undefined {
    const first = this.#first.get(tool);
    const isNews = this.#last.get(tool) !== seen.pin;
    this.#last.set(tool, seen.pin);
    if (first === undefined) {
      this.#first.set(tool, { pin: seen.pin, definition: seen.definition });
      return undefined;
    }
    if (first.pin === seen.pin || !isNews) return undefined;
    return changedParts(first.definition, seen.definition);
  }

  isChanged(tool: string, pin: string): boolean {
    const first = this.#first.get(tool);
    return first !== undefined && first.pin !== pin;
  }
}

import { canonicalJson, sha256Hex, type JsonObject } from '@toolwright/core';
import type { PinStore, StoredPin } from './pin-store.ts';

/** A tool's definition, and the digest of it. */
export interface SeenDefinition {
  readonly pin: string;
  readonly definition: JsonObject;
}

/** Tools of one server that are remembered at most; further ones are new whenever they come. */
const MAX_PINS = 5_000;

/**
 * Trust on first use: the definition that was seen first is the one that the host and its person know. A server that
 * changes a tool under them (CVE-2025-54136) loses its word on it until it changes it back, or the host accepts it.
 */
export class Pins {
  readonly #store: PinStore | undefined;
  readonly #first = new Map<string, StoredPin>();
  readonly #last = new Map<string, string>();
  #loading: Promise<void> | undefined;
  #isNew = false;

  /** With a store, what earlier processes saw first counts. */
  constructor(store?: PinStore) {
    this.#store = store;
  }

  /** Brings in what earlier processes have seen, once. */
  async load(): Promise<void> {
    this.#loading ??= this.#load();
    await this.#loading;
  }

  /** Takes note of a definition; the parts that differ from the first one, when it was not seen just before. */
  see(tool: string, seen: SeenDefinition): readonly string[] | undefined {
    const first = this.#first.get(tool);
    const isNews = this.#last.get(tool) !== seen.pin;
    this.#last.set(tool, seen.pin);
    if (first === undefined) {
      this.#remember(tool, seen);
      return undefined;
    }
    if (first.pin === seen.pin || !isNews) return undefined;
    const after = partsOf(seen.definition);
    const names = new Set([...Object.keys(first.parts), ...Object.keys(after)]);
    return [...names].filter((name) => first.parts[name] !== after[name]).sort();
  }

  isChanged(tool: string, pin: string): boolean {
    const first = this.#first.get(tool);
    return first !== undefined && first.pin !== pin;
  }

  /** The definition of now is the one that is known. */
  accept(tool: string, seen: SeenDefinition): void {
    if (this.#first.get(tool)?.pin === seen.pin) return;
    this.#first.delete(tool);
    this.#remember(tool, seen);
  }

  /** Keeps what is new for later processes. */
  async save(): Promise<void> {
    if (!this.#isNew || this.#store === undefined) return;
    this.#isNew = false;
    await this.#store.write(this.#first);
  }

  async #load(): Promise<void> {
    const known = (await this.#store?.read()) ?? [];
    for (const [tool, pin] of known) if (!this.#first.has(tool)) this.#first.set(tool, pin);
  }

  #remember(tool: string, { pin, definition }: SeenDefinition): void {
    if (this.#first.size >= MAX_PINS) return;
    this.#first.set(tool, { pin, parts: partsOf(definition) });
    this.#isNew = true;
  }
}

/** A short digest of each part: enough to tell which differ. */
function partsOf(definition: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(definition).map(([name, value]) => [
      name,
      sha256Hex(canonicalJson(value)).slice(0, 16),
    ]),
  );
}

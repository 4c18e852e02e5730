import { canonicalJson, sha256Hex, type JsonObject } from '@toolwright/core';
import type { PinStore, StoredPin } from './pin-store.ts';

/** A tool's definition, and the digest of it. */
export interface SeenDefinition {
  readonly pin: string;
  readonly definition: JsonObject;
}

/** Tools of one server that are remembered at most; further ones are new whenever they come. */
const MAX_PINS = 5_000;
/** Characters of the JSON of one definition, and of all of a server's, that are kept to be compared with later ones. */
const MAX_KEPT_CHARS = 65_536;
const MAX_KEPT_IN_ALL = 4 * 1024 * 1024;

/** A tool that is no longer what the host knows it to be. */
export interface ChangedDefinition {
  /** Which of `name, title, description, inputSchema, outputSchema, annotations` differ. */
  readonly changed: readonly string[];
  /** What is known; undefined where it was too large to be kept. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
}

/**
 * Trust on first use: the definition that was seen first is the one that the host and its person know. A server that
 * changes a tool under them (CVE-2025-54136) loses its word on it until it changes it back, or the host accepts it.
 */
export class Pins {
  readonly #store: PinStore | undefined;
  readonly #first = new Map<string, StoredPin>();
  readonly #last = new Map<string, string>();
  /** What the store has not got yet. */
  readonly #unsaved = new Map<string, StoredPin>();
  #keptChars = 0;

  /** With a store, what earlier processes saw first counts. */
  constructor(store?: PinStore) {
    this.#store = store;
  }

  /** Brings in what other processes have seen, or have been told to accept, until now. */
  async load(): Promise<void> {
    const known = (await this.#store?.read()) ?? [];
    for (const [tool, pin] of known) if (!this.#unsaved.has(tool)) this.#keep(tool, pin);
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
    return changesOf(first, seen);
  }

  /** How a tool differs from what is known of it; undefined where it does not. */
  change(tool: string, seen: SeenDefinition): ChangedDefinition | undefined {
    const first = this.#first.get(tool);
    if (first === undefined || first.pin === seen.pin) return undefined;
    return { changed: changesOf(first, seen), before: first.definition, after: seen.definition };
  }

  isChanged(tool: string, pin: string): boolean {
    const first = this.#first.get(tool);
    return first !== undefined && first.pin !== pin;
  }

  /** The definition of now is the one that is known. */
  accept(tool: string, seen: SeenDefinition): void {
    if (this.#first.get(tool)?.pin === seen.pin) return;
    this.#remember(tool, seen);
  }

  /** Keeps what is new for later processes. */
  async save(): Promise<void> {
    if (this.#unsaved.size === 0 || this.#store === undefined) return;
    const unsaved = new Map(this.#unsaved);
    this.#unsaved.clear();
    await this.#store.add(unsaved);
  }

  #remember(tool: string, { pin, definition }: SeenDefinition): void {
    if (this.#first.size >= MAX_PINS && !this.#first.has(tool)) return;
    const chars = JSON.stringify(definition).length;
    const fits = chars <= MAX_KEPT_CHARS && this.#keptChars + chars <= MAX_KEPT_IN_ALL;
    const kept = { pin, parts: partsOf(definition), ...(fits ? { definition } : {}) };
    this.#keep(tool, kept);
    this.#unsaved.set(tool, kept);
  }

  #keep(tool: string, pin: StoredPin): void {
    this.#keptChars += charsOf(pin) - charsOf(this.#first.get(tool));
    this.#first.set(tool, pin);
  }
}

function charsOf(pin: StoredPin | undefined): number {
  return pin?.definition === undefined ? 0 : JSON.stringify(pin.definition).length;
}

function changesOf(first: StoredPin, { definition }: SeenDefinition): readonly string[] {
  const after = partsOf(definition);
  const names = new Set([...Object.keys(first.parts), ...Object.keys(after)]);
  return [...names].filter((name) => first.parts[name] !== after[name]).sort();
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

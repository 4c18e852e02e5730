import type { JsonValue } from './json.ts';
import { isRecord, setOwn } from './json.ts';
import { toPointer } from './json-pointer.ts';

/** Bounds of {@link snapshotJson}. */
export interface SnapshotLimits {
  /** Levels of containers inside each other. A scalar has depth 0, `[]` depth 1. */
  readonly maxDepth: number;
  /** UTF-8 bytes of all keys and strings, and 8 for every other value. */
  readonly maxBytes: number;
}

/** Why a value could not be taken over as JSON. */
export interface SnapshotProblem {
  readonly reason: 'too_deep' | 'too_large' | 'not_json';
  /** JSON pointer to the place; cut to its first steps when the nesting itself is the problem. */
  readonly path: string;
  /** What stands there, or which bound was passed. */
  readonly message: string;
}

/** The copy, or why there is none. */
export type Snapshot =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** UTF-16 units of keys and strings, and 8 for every other value: at least an eighth of the JSON text. */
      readonly units: number;
    }
  | { readonly ok: false; readonly problem: SnapshotProblem };

/**
 * Takes a private, deep-frozen copy of a value that should be JSON: every property is read once, so a getter
 * or a later change of the original cannot make two readers see two values. Own enumerable string keys only;
 * `__proto__` becomes an own key like any other. Keys with the value `undefined` are left out. Class instances,
 * functions, typed arrays, holes and non-finite numbers are refused. Cycles run into the depth bound.
 */
export function snapshotJson(value: unknown, limits: SnapshotLimits): Snapshot {
  const walk = new Copy(limits);
  try {
    const copy = walk.copy(value, 0);
    if (walk.units * 3 > limits.maxBytes && walk.bytes(copy) > limits.maxBytes) walk.tooLarge();
    return { ok: true, value: copy, units: walk.units };
  } catch (error) {
    const isOurs = error instanceof SnapshotError;
    const problem: SnapshotProblem = {
      reason: isOurs ? error.reason : 'not_json',
      path: walk.path(),
      message: isOurs ? error.message : 'cannot be read',
    };
    return { ok: false, problem };
  }
}

class SnapshotError extends Error {
  readonly reason: SnapshotProblem['reason'];

  constructor(reason: SnapshotProblem['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Pointers in problems name at most this many steps. */
const MAX_PATH_STEPS = 16;

class Copy {
  readonly #limits: SnapshotLimits;
  /** Where a problem is: its steps, innermost first, noted only on the way out of it. */
  #trail: (string | number)[] | undefined;
  /** UTF-16 code units so far: a lower bound of the UTF-8 bytes, and a third of the upper one. */
  units = 0;

  constructor(limits: SnapshotLimits) {
    this.#limits = limits;
  }

  copy(value: unknown, depth: number): JsonValue {
    if (typeof value === 'string') {
      this.#count(value.length);
      return value;
    }
    this.#count(8);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) this.#refuse(`is ${value}, which JSON cannot hold`);
      return value;
    }
    if (!isRecord(value)) this.#refuse(`is a ${typeof value}, which is no JSON value`);
    if (depth >= this.#limits.maxDepth) {
      this.#fail('too_deep', `is nested deeper than ${this.#limits.maxDepth} levels`);
    }
    return Array.isArray(value)
      ? this.#copyArray(value, depth + 1)
      : this.#copyObject(value, depth + 1);
  }

  #copyArray(items: readonly unknown[], depth: number): JsonValue {
    const { length } = items;
    this.#count(length);
    const copy: JsonValue[] = [];
    let index = 0;
    try {
      for (; index < length; index += 1) copy.push(this.copy(items[index], depth));
    } catch (error) {
      this.#note(index);
      throw error;
    }
    return Object.freeze(copy);
  }

  #copyObject(source: Readonly<Record<string, unknown>>, depth: number): JsonValue {
    if (!isPlainObject(source)) this.#refuse('is an object of a class, not plain JSON');
    const copy: Record<string, JsonValue> = {};
    let at = '';
    try {
      for (const key of Object.keys(source)) {
        at = key;
        // The one read of this property: a getter runs exactly once.
        const item = source[key];
        if (item === undefined) continue;
        this.#count(key.length);
        setOwn(copy, key, this.copy(item, depth));
      }
    } catch (error) {
      this.#note(at);
      throw error;
    }
    return Object.freeze(copy);
  }

  /** Exact size in the units of the limit; only needed when the cheap bounds do not decide. */
  bytes(value: JsonValue): number {
    if (typeof value === 'string') return utf8Length(value);
    if (typeof value !== 'object' || value === null) return 8;
    let total = 8;
    for (const [key, item] of Object.entries(value)) {
      total += Array.isArray(value) ? 1 : utf8Length(key);
      total += this.bytes(item);
    }
    return total;
  }

  path(): string {
    return toPointer((this.#trail ?? []).toReversed().slice(0, MAX_PATH_STEPS));
  }

  tooLarge(): never {
    this.#fail('too_large', `exceeds ${this.#limits.maxBytes} bytes`);
  }

  #note(step: string | number): void {
    this.#trail ??= [];
    this.#trail.push(step);
  }

  #count(units: number): void {
    this.units += units;
    if (this.units > this.#limits.maxBytes) this.tooLarge();
  }

  #refuse(message: string): never {
    this.#fail('not_json', message);
  }

  #fail(reason: SnapshotProblem['reason'], message: string): never {
    throw new SnapshotError(reason, message);
  }
}

/** Plain objects of any realm: no prototype, or one that itself has none. */
function isPlainObject(source: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(source);
  return (
    prototype === null ||
    prototype === Object.prototype ||
    Object.getPrototypeOf(prototype) === null
  );
}

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      bytes += 1;
    } else if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 2;
      index += 1;
    } else {
      bytes += 2;
    }
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

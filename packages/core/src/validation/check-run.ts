import type { JsonValue } from '../json/json.ts';
import { toPointer } from '../json/json-pointer.ts';
import { ComplexityError } from './complexity-error.ts';
import type { ValidationError } from './validation-error.ts';
import { MAX_VALIDATION_ERRORS } from './validation-error.ts';

/** Decides whether a value is valid at one place of a schema, and reports to the run why not. */
export type Check = (value: JsonValue, run: CheckRun) => boolean;

/** Schema nodes visited for one value: about half a second. */
const MAX_STEPS = 5_000_000;

/** What `unevaluatedProperties` and `unevaluatedItems` may not look at any more. */
export interface Evaluated {
  readonly keys: Set<string>;
  readonly items: Set<number>;
}

/** One pass over one value: where it is, what it found, how much it did. */
export class CheckRun {
  /** Absent in the fast mode, which stops at the first mistake. */
  errors: ValidationError[] | undefined;
  /** Mistakes beyond the ones that are kept. */
  omitted = 0;
  /** Present only inside a schema with an `unevaluated` keyword. */
  evaluated: Evaluated | undefined;
  #steps = 0;
  readonly #path: (string | number)[] = [];

  constructor(mode: 'first' | 'all') {
    this.errors = mode === 'all' ? [] : undefined;
  }

  /** Counts the work; throws {@link ComplexityError} when there is too much of it. */
  step(): void {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) throw new ComplexityError();
  }

  /** Checks an item or a property of the current value. */
  visit(step: string | number, value: JsonValue, check: Check): boolean {
    const { evaluated } = this;
    // Where nothing is noted, nobody asks where it is.
    if (this.errors === undefined && evaluated === undefined) return check(value, this);
    this.evaluated = undefined;
    this.#path.push(step);
    const valid = check(value, this);
    this.#path.pop();
    this.evaluated = evaluated;
    return valid;
  }

  /** Checks without keeping mistakes. */
  probe(value: JsonValue, check: Check): boolean {
    return this.collect(value, check, false).valid;
  }

  /** Checks without keeping mistakes or notes on what was evaluated: a sub-schema of `not`. */
  probeOnly(value: JsonValue, check: Check): boolean {
    const { evaluated } = this;
    this.evaluated = undefined;
    const valid = this.probe(value, check);
    this.evaluated = evaluated;
    return valid;
  }

  /** Keeps mistakes that {@link collect} returned. */
  add(errors: readonly ValidationError[]): void {
    const kept = errors.slice(0, MAX_VALIDATION_ERRORS - (this.errors?.length ?? 0));
    this.errors?.push(...kept);
    this.omitted += errors.length - kept.length;
  }

  /** Checks the current value and returns the mistakes instead of keeping them. */
  collect(
    value: JsonValue,
    check: Check,
    wanted: boolean,
  ): { readonly valid: boolean; readonly errors: readonly ValidationError[] } {
    const { errors, omitted, evaluated } = this;
    const found: ValidationError[] = [];
    this.errors = wanted ? found : undefined;
    const own =
      evaluated === undefined ? undefined : { keys: new Set<string>(), items: new Set<number>() };
    this.evaluated = own;
    const valid = check(value, this);
    this.errors = errors;
    this.omitted = omitted;
    this.evaluated = evaluated;
    if (valid && own !== undefined) this.note(own);
    return { valid, errors: found };
  }

  /** Takes over what a sub-schema that passed has evaluated. */
  note(found: Evaluated): void {
    for (const key of found.keys) this.evaluated?.keys.add(key);
    for (const item of found.items) this.evaluated?.items.add(item);
  }

  /** Reports a mistake at the current place; `step` names a key below it. Always false. */
  fail(keyword: string, message: () => string, step?: string): false {
    if (this.errors === undefined) return false;
    if (this.errors.length >= MAX_VALIDATION_ERRORS) {
      this.omitted += 1;
      return false;
    }
    const path = toPointer(step === undefined ? this.#path : [...this.#path, step]);
    this.errors.push({ path, keyword, message: message() });
    return false;
  }

  /** JSON pointer of the current place. */
  pointer(): string {
    return toPointer(this.#path);
  }
}

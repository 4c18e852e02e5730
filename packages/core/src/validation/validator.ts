import type { JsonObject, JsonValue } from '../json/json.ts';
import { isJsonObject } from '../json/json.ts';
import type { SnapshotLimits } from '../json/snapshot-json.ts';
import { snapshotJson } from '../json/snapshot-json.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { isKeywords, toKeywords } from '../schema/schema-node.ts';
import { CheckBuilder } from './build-check.ts';
import type { Check } from './check-run.ts';
import { CheckRun } from './check-run.ts';
import { parseContainer } from './coerce.ts';
import type { CompiledSchema } from './compile-schema.ts';
import { compileSchema } from './compile-schema.ts';
import { isTooComplex } from './complexity-error.ts';
import type { ArgumentRepair, ClampedArgument } from './repair-arguments.ts';
import { ArgumentRepairer } from './repair-arguments.ts';
import type { SchemaFacts } from './schema-facts.ts';
import { schemaFacts } from './schema-facts.ts';
import type { ValidationError } from './validation-error.ts';
import { formatValidationErrors } from './validation-error.ts';

/** What a validator found. */
export type ValidationResult =
  | {
      readonly valid: true;
      /** A private, deep-frozen copy of the arguments, repaired, with defaults. */
      readonly value: JsonObject;
      readonly repairs: readonly ArgumentRepair[];
      readonly clamped: readonly ClampedArgument[];
      readonly errors: readonly [];
    }
  | {
      readonly valid: false;
      /** At most eight. */
      readonly errors: readonly ValidationError[];
      /** All errors as one text of at most 4 KiB, for the model. */
      readonly message: string;
      /** Present when the arguments were not looked at in detail. */
      readonly reason?: 'too_deep' | 'too_large' | 'too_complex' | 'not_json';
    };

/** Options of {@link createValidator}. */
export interface ValidatorOptions {
  /** Levels of containers in the arguments. Default 128. */
  readonly maxDepth?: number;
  /** Bytes of the arguments, as UTF-8 text of their keys and strings. Default 16 MiB. */
  readonly maxBytes?: number;
  /** Calls after which the schema is compiled in the background; `Infinity` for never. Default 1,000. */
  readonly compileAfter?: number;
}

/** Validates arguments against one schema. */
export interface Validator {
  /**
   * Checks arguments, given as an object or as its JSON text; `undefined` and `""` count as `{}`. Never throws and never
   * mutates them. Both tiers give the same answers and the same messages.
   */
  validate(value: unknown): ValidationResult;
  /**
   * Checks any JSON value as it is: no repairs, no defaults, no copy. For results, examples and defaults; the value is
   * trusted to be JSON of ordinary depth.
   */
  check(value: JsonValue): { readonly valid: boolean; readonly message: string };
  /** Compiles now instead of when hot; false if the schema stays interpreted. */
  compile(): Promise<boolean>;
  readonly tier: 'interpreted' | 'compiled';
}

const DEFAULT_MAX_DEPTH = 128;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
/** Where the time that interpreting costs more than running compiled code has paid for compiling. */
const DEFAULT_COMPILE_AFTER = 1_000;

/**
 * Makes the validator of a normalised schema (`toInputSchema`, `fromForeignSchema`). Costs nothing until the first call,
 * which builds an interpreter in microseconds; a hot schema is compiled by ajv in the background.
 *
 * Semantics are those of JSON Schema 2020-12 with formats as annotations. Recursive schemas and ones with an
 * `unevaluated` keyword stay interpreted, under a bound on steps.
 */
export function createValidator(schema: JsonSchema, options: ValidatorOptions = {}): Validator {
  return new TieredValidator(schema, options);
}

class TieredValidator implements Validator {
  readonly #schema: JsonSchema;
  readonly #limits: SnapshotLimits;
  readonly #compileAfter: number;
  #interpreter: Interpreter | undefined;
  #compiled: CompiledSchema | undefined;
  #compiling: Promise<boolean> | undefined;
  #calls = 0;

  constructor(schema: JsonSchema, options: ValidatorOptions) {
    this.#schema = schema;
    this.#limits = {
      maxDepth: options.maxDepth ?? DEFAULT_MAX_DEPTH,
      maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES,
    };
    this.#compileAfter = options.compileAfter ?? DEFAULT_COMPILE_AFTER;
  }

  get tier(): 'interpreted' | 'compiled' {
    return this.#compiled === undefined ? 'interpreted' : 'compiled';
  }

  compile(): Promise<boolean> {
    this.#compiling ??= this.#compile();
    return this.#compiling;
  }

  validate(value: unknown): ValidationResult {
    this.#calls += 1;
    if (this.#calls === this.#compileAfter) void this.compile();
    const interpreter = (this.#interpreter ??= new Interpreter(this.#schema, this.#limits));
    const text = typeof value === 'string' ? value : undefined;
    const source = readSource(value, this.#limits);
    const snapshot = snapshotJson(source, this.#limits);
    if (!snapshot.ok) return refused(snapshot.problem.reason, snapshot.problem);
    try {
      const given = interpreter.withFlatDefaults(snapshot.value);
      if (text === undefined && interpreter.facts.defaults !== 'deep' && this.#isValid(given)) {
        return accepted(given, NOTHING);
      }
      return interpreter.repair(snapshot.value, text);
    } catch (error) {
      if (isTooComplex(error)) return refused('too_complex', TOO_COMPLEX);
      throw error;
    }
  }

  check(value: JsonValue): { readonly valid: boolean; readonly message: string } {
    const interpreter = (this.#interpreter ??= new Interpreter(this.#schema, this.#limits));
    try {
      return this.#isValid(value) ? { valid: true, message: '' } : interpreter.explain(value);
    } catch (error) {
      if (isTooComplex(error)) return { valid: false, message: TOO_COMPLEX.message };
      throw error;
    }
  }

  #isValid(value: JsonValue): boolean {
    if (this.#compiled !== undefined) {
      try {
        return this.#compiled(value);
      } catch {
        // Code that ajv made of a foreign schema can fail: the schema is interpreted from now on.
        this.#compiled = undefined;
      }
    }
    return this.#interpreter?.isValid(value) === true;
  }

  async #compile(): Promise<boolean> {
    const { facts } = (this.#interpreter ??= new Interpreter(this.#schema, this.#limits));
    if (!facts.compilable) return false;
    this.#compiled = await compileSchema(this.#schema, facts.namesInherited);
    return this.#compiled !== undefined;
  }
}

const TOO_COMPLEX = { path: '', message: 'takes too many steps to check' };

const NOTHING = { repairs: [], clamped: [] } as const;

/** The first tier, and the author of every message. */
class Interpreter {
  readonly facts: SchemaFacts;
  readonly #schema: JsonSchema;
  readonly #limits: SnapshotLimits;
  readonly #builder: CheckBuilder;
  readonly #check: Check;
  readonly #flatDefaults: readonly (readonly [string, JsonValue])[];

  constructor(schema: JsonSchema, limits: SnapshotLimits) {
    this.#schema = schema;
    this.#limits = limits;
    this.#builder = new CheckBuilder(toKeywords(schema));
    this.#check = this.#builder.build(toKeywords(schema));
    this.facts = schemaFacts(schema, this.#builder.resolve);
    this.#flatDefaults = this.facts.defaults === 'flat' ? flatDefaults(schema) : [];
  }

  isValid(value: JsonValue): boolean {
    return this.#check(value, new CheckRun('first'));
  }

  withFlatDefaults(value: JsonValue): JsonValue {
    if (this.#flatDefaults.length === 0 || !isJsonObject(value)) return value;
    const missing = this.#flatDefaults.filter(([name]) => !Object.hasOwn(value, name));
    if (missing.length === 0) return value;
    return Object.freeze({ ...value, ...Object.fromEntries(missing) });
  }

  repair(value: JsonValue, text: string | undefined): ValidationResult {
    const repairer = new ArgumentRepairer(this.#builder, this.#limits);
    if (text !== undefined) repairer.report('', text, value);
    const repaired = repairer.repair(toKeywords(this.#schema), value, '');
    const { valid, errors, message } = this.explain(repaired);
    return valid ? accepted(freeze(repaired), repairer) : { valid, errors, message };
  }

  explain(value: JsonValue): {
    readonly valid: boolean;
    readonly errors: readonly ValidationError[];
    readonly message: string;
  } {
    const run = new CheckRun('all');
    const valid = this.#check(value, run);
    const errors = run.errors ?? [];
    return { valid, errors, message: valid ? '' : formatValidationErrors(errors, run.omitted) };
  }
}

function flatDefaults(schema: JsonSchema): readonly (readonly [string, JsonValue])[] {
  return Object.entries(toKeywords(schema).properties ?? {}).flatMap(([name, node]) =>
    isKeywords(node) && node.default !== undefined ? [[name, node.default] as const] : [],
  );
}

/** Arguments that arrive as a whole in JSON text; what is no object stays text, and is refused by the schema. */
function readSource(value: unknown, limits: SnapshotLimits): unknown {
  if (value === undefined || value === '') return {};
  if (typeof value !== 'string' || value.length > limits.maxBytes) return value;
  return parseContainer(value) ?? value;
}

function accepted(
  value: JsonValue,
  changes: {
    readonly repairs: readonly ArgumentRepair[];
    readonly clamped: readonly ClampedArgument[];
  },
): ValidationResult {
  const { repairs, clamped } = changes;
  if (!isJsonObject(value)) {
    const errors = [{ path: '', keyword: 'type', message: 'must be an object' }];
    return { valid: false, errors, message: formatValidationErrors(errors) };
  }
  return { valid: true, value, repairs, clamped, errors: [] };
}

function refused(
  reason: 'too_deep' | 'too_large' | 'too_complex' | 'not_json',
  problem: { readonly path: string; readonly message: string },
): ValidationResult {
  const errors = [{ path: problem.path, keyword: reason, message: problem.message }];
  return { valid: false, reason, errors, message: formatValidationErrors(errors) };
}

/** Freezes what repairing has built; parts taken over unchanged are frozen already. */
function freeze(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}

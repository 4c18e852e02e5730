import { canonicalJson } from '../json/canonical-json.ts';
import type { JsonArray, JsonObject, JsonValue } from '../json/json.ts';
import { isJsonArray, isJsonObject, setOwn } from '../json/json.ts';
import { appendPointer } from '../json/json-pointer.ts';
import type { SnapshotLimits } from '../json/snapshot-json.ts';
import { snapshotJson } from '../json/snapshot-json.ts';
import type { SchemaKeywords, SchemaNode } from '../schema/schema-node.ts';
import { isKeywords } from '../schema/schema-node.ts';
import type { CheckBuilder } from './build-check.ts';
import type { Check } from './check-run.ts';
import { CheckRun } from './check-run.ts';
import { coerce } from './coerce.ts';
import { ComplexityError } from './complexity-error.ts';
import { isOfType, toMatcher, typesOf } from './scalar-checks.ts';

/** One change that made arguments fit; `to` is absent where the value was dropped as if it had not been sent. */
export interface ArgumentRepair {
  /** JSON pointer (RFC 6901); `""` is the arguments as a whole. */
  readonly path: string;
  /** What was sent. Values over 1 KiB of JSON are shown as the beginning of their text. */
  readonly from: JsonValue;
  readonly to?: JsonValue;
}

/** A limit, size or time that was moved into its range. */
export interface ClampedArgument {
  /** JSON pointer (RFC 6901). */
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** Places visited in one repair. */
const MAX_VISITS = 200_000;
/** UTF-16 units of a value shown in a repair. */
const MAX_SHOWN = 1_024;

/**
 * Rewrites arguments where the schema leaves one reading: defaults, neutral values (`null` and `""` of an optional
 * property whose own schema rejects them), {@link coerce}, and clamping of `x-clamp` numbers. Values that already fit
 * stay the same; the input is never mutated. Whether the outcome is valid is another check's business.
 */
export class ArgumentRepairer {
  readonly repairs: ArgumentRepair[] = [];
  readonly clamped: ClampedArgument[] = [];
  readonly #builder: CheckBuilder;
  readonly #limits: SnapshotLimits;
  #visits = 0;

  constructor(builder: CheckBuilder, limits: SnapshotLimits) {
    this.#builder = builder;
    this.#limits = limits;
  }

  /** Notes a repair; long values are cut for the report. */
  report(path: string, from: JsonValue, to?: JsonValue): void {
    this.repairs.push({
      path,
      from: preview(from),
      ...(to === undefined ? {} : { to: preview(to) }),
    });
  }

  repair(node: SchemaNode | undefined, value: JsonValue, path: string): JsonValue {
    this.#visits += 1;
    if (this.#visits > MAX_VISITS) throw new ComplexityError();
    if (!isKeywords(node)) return value;
    let current = this.#coerced(node, value, path);
    if (node.$ref !== undefined)
      current = this.repair(this.#builder.resolve(node.$ref), current, path);
    for (const part of node.allOf ?? []) current = this.repair(part, current, path);
    current = this.#byBranch(node, current, path);
    if (isJsonObject(current)) return this.#repairObject(node, current, path);
    if (isJsonArray(current)) return this.#repairArray(node, current, path);
    return typeof current === 'number' ? this.#clamp(node, current, path) : current;
  }

  #coerced(node: SchemaKeywords, value: JsonValue, path: string): JsonValue {
    const types = typesOf(node);
    if (types === undefined || isOfType(value, types)) return value;
    const reading = coerce(value, types);
    if (reading === undefined) return value;
    const copy = snapshotJson(reading, this.#limits);
    if (!copy.ok) return value;
    this.report(path, value, copy.value);
    return copy.value;
  }

  /** Among alternatives none of which fits, the one reading that makes one fit. */
  #byBranch(node: SchemaKeywords, value: JsonValue, path: string): JsonValue {
    const branches = node.anyOf ?? node.oneOf;
    if (branches === undefined) return value;
    const checks = branches.map((branch) => this.#builder.build(branch));
    const fitting = checks.findIndex((check) => passes(check, value));
    if (fitting >= 0) return this.repair(branches[fitting], value, path);
    const readings = new Map<
      string,
      { readonly value: JsonValue; readonly by: ArgumentRepairer }
    >();
    for (const [index, branch] of branches.entries()) {
      const by = new ArgumentRepairer(this.#builder, this.#limits);
      by.#visits = this.#visits;
      const reading = by.repair(branch, value, path);
      this.#visits = by.#visits;
      const check = checks[index];
      if (check !== undefined && passes(check, reading)) {
        readings.set(canonicalJson(reading), { value: reading, by });
      }
    }
    const [only, ...others] = readings.values();
    if (only === undefined || others.length > 0) return value;
    this.repairs.push(...only.by.repairs);
    this.clamped.push(...only.by.clamped);
    return only.value;
  }

  #repairObject(node: SchemaKeywords, value: JsonObject, path: string): JsonValue {
    const { properties = {}, required = [] } = node;
    const result: Record<string, JsonValue> = {};
    let isChanged = false;
    for (const [name, item] of Object.entries(value)) {
      const at = appendPointer(path, name);
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (own !== undefined && !required.includes(name) && this.#isNeutral(own, item)) {
        this.report(at, item);
        isChanged = true;
        continue;
      }
      const repaired = this.repair(own ?? this.#otherProperty(node, name), item, at);
      isChanged ||= repaired !== item;
      setOwn(result, name, repaired);
    }
    for (const [name, own] of Object.entries(properties)) {
      if (!isKeywords(own) || own.default === undefined || Object.hasOwn(result, name)) continue;
      setOwn(result, name, this.repair(own, own.default, appendPointer(path, name)));
      isChanged = true;
    }
    return isChanged ? result : value;
  }

  #otherProperty(node: SchemaKeywords, name: string): SchemaNode | undefined {
    const patterned = Object.entries(node.patternProperties ?? {}).filter(([pattern]) =>
      toMatcher(pattern).test(name),
    );
    const [only] = patterned;
    if (only === undefined) return node.additionalProperties;
    return patterned.length === 1 ? only[1] : undefined;
  }

  #isNeutral(own: SchemaNode, item: JsonValue): boolean {
    return (item === null || item === '') && !passes(this.#builder.build(own), item);
  }

  #repairArray(node: SchemaKeywords, value: JsonArray, path: string): JsonValue {
    const { prefixItems = [], items } = node;
    if (prefixItems.length === 0 && !isKeywords(items)) return value;
    const result = value.map((item, index) =>
      this.repair(prefixItems[index] ?? items, item, appendPointer(path, index)),
    );
    return result.some((item, index) => item !== value[index]) ? result : value;
  }

  #clamp(node: SchemaKeywords, value: number, path: string): JsonValue {
    if (node['x-clamp'] !== true || value <= 0) return value;
    const types = typesOf(node);
    if (types !== undefined && !isOfType(value, types)) return value;
    const { minimum = value, maximum = value } = node;
    const to = Math.min(Math.max(value, minimum), maximum);
    if (to !== value) this.clamped.push({ path, from: value, to });
    return to;
  }
}

function passes(check: Check, value: JsonValue): boolean {
  return check(value, new CheckRun('first'));
}

function preview(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.length > MAX_SHOWN ? `${cut(value)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${cut(text)}…` : value;
}

/** Cuts between code points. */
function cut(text: string): string {
  const end = MAX_SHOWN / 4;
  return text.slice(0, (text.codePointAt(end - 1) ?? 0) > 0xffff ? end - 1 : end);
}

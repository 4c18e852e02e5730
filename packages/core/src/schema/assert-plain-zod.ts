import { isRecord } from '../json/json.ts';

/** What a zod type or check does that JSON Schema cannot say. */
const REFUSED_TYPES: Readonly<Record<string, string>> = {
  pipe: 'has a transform (pipe, codec or preprocess)',
  transform: 'has a transform',
  custom: 'has a refinement (custom or instanceof)',
  catch: 'has a catch, which hides what is wrong',
};
const REFUSED_CHECKS: Readonly<Record<string, string>> = {
  custom: 'has a refinement',
  overwrite: 'has a transform (trim, case or overwrite)',
};

/**
 * Refuses zod schemas that do more than their JSON Schema says: transforms, refinements, coercion. Reads the definition
 * that zod 4 keeps in `_zod.def`; core never imports zod.
 *
 * @param fail throws with the message.
 */
export function assertPlainZod(schema: unknown, fail: (message: string) => never): void {
  const seen = new Set<unknown>();
  const pending: unknown[] = [schema];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const definition = definitionOf(next);
    if (definition === undefined || seen.has(next)) continue;
    seen.add(next);
    assertPlainDefinition(definition, fail);
    pending.push(...children(definition));
  }
}

function assertPlainDefinition(
  definition: Readonly<Record<string, unknown>>,
  fail: (message: string) => never,
): void {
  const refusal = lookUp(REFUSED_TYPES, definition['type']);
  if (refusal !== undefined) fail(refusal);
  if (definition['coerce'] === true)
    fail('coerces; the kernel itself repairs what has one lossless reading');
  const checks = Array.isArray(definition['checks']) ? definition['checks'] : [];
  for (const check of checks) {
    const { check: name, fn } = definitionOf(check) ?? {};
    const reason = lookUp(REFUSED_CHECKS, name);
    if (reason !== undefined) fail(reason);
    if (name === 'string_format' && typeof fn === 'function')
      fail('has a refinement (a format of its own)');
  }
  // A format that is a schema itself carries its function in its own definition.
  if (definition['check'] === 'string_format' && typeof definition['fn'] === 'function') {
    fail('has a refinement (a format of its own)');
  }
}

/** Every schema inside a definition: elements, shapes, options, and what a lazy one gives. */
function children(definition: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { getter } = definition;
  const lazy: readonly unknown[] =
    definition['type'] === 'lazy' && typeof getter === 'function' ? [getter()] : [];
  const values = Object.entries(definition)
    // Reading a default calls the author's function.
    .filter(([name]) => name !== 'defaultValue')
    .map(([, value]) => value);
  return [
    ...lazy,
    ...values.flatMap((value) =>
      definitionOf(value) === undefined && isRecord(value) ? Object.values(value) : [value],
    ),
  ];
}

function definitionOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' && typeof value !== 'function') return undefined;
  if (value === null || !('_zod' in value)) return undefined;
  const internals: unknown = value._zod;
  const definition = isRecord(internals) ? internals['def'] : undefined;
  return isRecord(definition) ? definition : undefined;
}

function lookUp(table: Readonly<Record<string, string>>, name: unknown): string | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

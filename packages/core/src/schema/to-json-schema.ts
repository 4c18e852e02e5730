import type { JsonObject, JsonValue } from '../json/json.ts';
import { createValidator } from '../validation/validator.ts';
import { describeStandardSchema, standardOf } from './describe-standard-schema.ts';
import type { SchemaInput } from './infer-input.ts';
import type { JsonSchema } from './json-schema.ts';
import { SchemaNormalizer } from './normalize-schema.ts';
import { readSchemaData } from './read-schema-data.ts';
import { inlineRootReference } from './root-reference.ts';
import { SchemaDocument } from './schema-document.ts';

/** Keywords that providers refuse at the top of a tool's schema. */
const TOP_LEVEL_REFUSED = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const'];

/**
 * The canonical input schema of a tool: JSON Schema 2020-12 as frozen plain data, an object at the top, closed, with
 * every `$ref` inside it. Objects that list their properties and do not say whether others may be there are closed.
 * Formats are annotations: `z.url()` without a pattern promises a string and no more.
 *
 * @throws TypeError for what is no JSON Schema, transforms and refinements, a union or another combination at the top,
 *   an open top level, a dangling `$ref`, a pattern without a linear-time match, a default or an example that the schema
 *   refuses, and more than 256 KiB.
 */
export function toInputSchema(
  input: SchemaInput,
  options: { readonly tool: string; readonly examples: readonly unknown[] },
): JsonSchema {
  const fail = failFor(options.tool, 'input schema');
  const root = { ...normalize(input, { fail, close: true }) };
  assertTopLevel(root, fail);
  root['properties'] ??= Object.freeze({});
  root['additionalProperties'] = false;
  if (options.examples.length === 0) return Object.freeze(root);
  assertExamples(root, options.examples, fail);
  // Examples have just been accepted as arguments, so they are plain JSON.
  root['examples'] = JSON.parse(JSON.stringify(options.examples));
  return Object.freeze(root);
}

/** The canonical output schema of a tool: as {@link toInputSchema}, of any type at the top, and closed only where it says so. */
export function toOutputSchema(output: SchemaInput, tool: string): JsonSchema {
  return Object.freeze(normalize(output, { fail: failFor(tool, 'output schema'), close: false }));
}

function failFor(tool: string, what: string): (message: string) => never {
  return (message) => {
    throw new TypeError(`Tool ${tool}: the ${what} ${message}.`);
  };
}

function normalize(
  input: SchemaInput,
  options: { readonly fail: (message: string) => never; readonly close: boolean },
): JsonObject {
  const { fail, close } = options;
  const standard = standardOf(input);
  const source = standard === undefined ? input : describeStandardSchema(input, standard, fail);
  const data = readSchemaData(source);
  if (typeof data === 'string') return fail(data);
  const report = (pointer: string, message: string): never =>
    fail(`at ${pointer || 'the top'} ${message}`);
  const document = new SchemaDocument(inlineRootReference(data));
  return new SchemaNormalizer(document, { report, close, foreign: false }).normalize();
}

function assertTopLevel(root: Record<string, JsonValue>, fail: (message: string) => never): void {
  const refused = TOP_LEVEL_REFUSED.find((keyword) => Object.hasOwn(root, keyword));
  if (refused !== undefined) {
    fail(
      `has ${refused} at the top, which model providers refuse; make its parts properties and check exclusive ones in run`,
    );
  }
  if (root['type'] !== 'object') fail('must have the type object at the top');
  const { additionalProperties: rest = false } = root;
  if (rest !== false || root['patternProperties'] !== undefined) {
    fail('must be closed at the top (additionalProperties: false); put a map in a property');
  }
}

function assertExamples(
  schema: JsonSchema,
  examples: readonly unknown[],
  fail: (message: string) => never,
): void {
  const validator = createValidator(schema, { compileAfter: Infinity });
  for (const [index, example] of examples.entries()) {
    const result = validator.validate(example);
    if (!result.valid) fail(`refuses example ${index}: ${result.message}`);
    else if (result.repairs.length + result.clamped.length > 0)
      fail(`has to repair example ${index}`);
  }
}

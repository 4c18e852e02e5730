import type { SchemaInput } from './infer-input.ts';
import type { JsonSchema } from './json-schema.ts';

/** The canonical input schema of a tool. */
export function toInputSchema(
  input: SchemaInput,
  options: { readonly tool: string; readonly examples: readonly unknown[] },
): JsonSchema {
  const schema = plain(input, options.tool);
  return Object.freeze({
    ...schema,
    ...(options.examples.length === 0
      ? {}
      : { examples: JSON.parse(JSON.stringify(options.examples)) }),
  });
}

/** The canonical output schema of a tool. */
export function toOutputSchema(output: SchemaInput, tool: string): JsonSchema {
  return Object.freeze(plain(output, tool));
}

function plain(input: SchemaInput, tool: string): JsonSchema {
  const source: unknown =
    '~standard' in input && typeof input['~standard'] === 'object'
      ? (input['~standard'] as { jsonSchema: { input: (o: object) => unknown } }).jsonSchema.input({
          target: 'draft-2020-12',
        })
      : input;
  if (typeof source !== 'object' || source === null)
    throw new TypeError(`Tool ${tool}: the schema is no object.`);
  return JSON.parse(JSON.stringify(source)) as JsonSchema;
}

import type { JsonValue } from '../json/json.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { areUnique, MULTIPLE_OF_DIGITS, toMatcher } from './scalar-checks.ts';

/** A compiled schema: whether a value is valid. */
export type CompiledSchema = (value: JsonValue) => boolean;

interface Compiler {
  compile(schema: JsonSchema): CompiledSchema;
}

let compilers: Promise<{ readonly plain: Compiler; readonly guarded: Compiler }> | undefined;

/**
 * Compiles a normalised schema with ajv, which is imported when the first schema is hot. `undefined` where the platform
 * forbids generated code (a strict content security policy) or ajv refuses the schema: the interpreter then stays.
 *
 * @param ownProperties the schema names a property that every object inherits, such as `toString`.
 */
export async function compileSchema(
  schema: JsonSchema,
  ownProperties: boolean,
): Promise<CompiledSchema | undefined> {
  try {
    compilers ??= loadCompilers();
    const { plain, guarded } = await compilers;
    return (ownProperties ? guarded : plain).compile(schema);
  } catch {
    return undefined;
  }
}

async function loadCompilers(): Promise<{ readonly plain: Compiler; readonly guarded: Compiler }> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const create = (ownProperties: boolean): Compiler => {
    const ajv = new Ajv2020({
      strict: false,
      validateSchema: false,
      validateFormats: false,
      addUsedSchema: false,
      logger: false,
      messages: false,
      ownProperties,
      multipleOfPrecision: MULTIPLE_OF_DIGITS,
      code: { regExp: matcherFor },
    });
    // ajv compares every pair of items; ours grows with the size of the array.
    ajv.removeKeyword('uniqueItems');
    ajv.addKeyword({
      keyword: 'uniqueItems',
      type: 'array',
      schemaType: 'boolean',
      validate: (wanted: boolean, items: readonly JsonValue[]) => !wanted || areUnique(items),
    });
    return {
      compile: (schema) => {
        const validate = ajv.compile<JsonValue>(schema);
        // The validator lives with its tool; the compiler must not keep it alive.
        ajv.removeSchema(schema);
        return (value) => validate(value);
      },
    };
  };
  return { plain: create(false), guarded: create(true) };
}

// ajv shares matchers by their text, so each needs its own.
const matcherFor = Object.assign(
  (pattern: string) => {
    const matcher = toMatcher(pattern);
    return { test: (text: string) => matcher.test(text), toString: () => `/${pattern}/u` };
  },
  {
    code: 'compilePattern',
  },
);

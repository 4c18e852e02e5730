import type { JsonSchema } from './json-schema.ts';
import type { StandardJsonSchema } from './standard-json-schema.ts';

/** What `defineTool` takes as `input` and `output`: a Standard JSON Schema (zod 4.2+) or plain JSON Schema. */
export type SchemaInput = StandardJsonSchema | JsonSchema;

/** The TypeScript type of values that a schema admits, defaults applied. */
export type InferSchema<S> = S extends StandardJsonSchema
  ? NonNullable<S['~standard']['types']>['output']
  : InferJsonSchema<S>;

/**
 * The type of a plain JSON Schema literal (`as const`, or written inside `defineTool`): objects, arrays,
 * scalars, `enum`, `const`, type lists, `anyOf`/`oneOf`; anything else is `unknown`. A property is present
 * when it is required or has a default.
 */
export type InferJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? InferJsonSchema<A>
      : S extends { readonly oneOf: readonly (infer A)[] }
        ? InferJsonSchema<A>
        : S extends { readonly type: infer T }
          ? T extends readonly (infer U)[]
            ? InferTyped<U, S>
            : InferTyped<T, S>
          : unknown;

type InferTyped<T, S> = T extends 'string'
  ? string
  : T extends 'integer' | 'number'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? S extends { readonly items: infer I }
            ? readonly InferJsonSchema<I>[]
            : readonly unknown[]
          : T extends 'object'
            ? InferObject<S>
            : unknown;

type InferObject<S> = S extends { readonly properties: infer P }
  ? Simplify<
      { readonly [K in PresentKeys<P, S>]: InferJsonSchema<P[K]> } & {
        readonly [K in Exclude<keyof P, PresentKeys<P, S>>]?: InferJsonSchema<P[K]>;
      }
    >
  : S extends { readonly additionalProperties: infer A }
    ? A extends object
      ? Readonly<Record<string, InferJsonSchema<A>>>
      : Readonly<Record<string, unknown>>
    : Readonly<Record<string, unknown>>;

type PresentKeys<P, S> = {
  [K in keyof P]: P[K] extends { readonly default: unknown }
    ? K
    : S extends { readonly required: readonly (infer R)[] }
      ? K extends R
        ? K
        : never
      : never;
}[keyof P];

type Simplify<T> = { [K in keyof T]: T[K] };

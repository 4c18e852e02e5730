/**
 * The part of Standard Schema and Standard JSON Schema (standardschema.dev) that a tool's input uses:
 * zod 4.2 and later, valibot and arktype offer it. Copied, as the standard asks, not imported.
 */
export interface StandardJsonSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

import type { InferSchema, SchemaInput } from '../schema/infer-input.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { CapabilityId } from '../services/services.ts';
import { toInputSchema, toOutputSchema } from '../schema/to-json-schema.ts';
import { cautiousCapabilities } from './capabilities.ts';
import { unknownEffects } from './effects.ts';
import { fixCapabilities } from './take-capabilities.ts';
import { assertToolName } from './tool-name.ts';
import type { Tool, ToolSpec } from './tool.ts';

/** Milliseconds that a tool's `run` may take when nothing else is said. */
export const defaultTimeoutMs = 120_000;

/**
 * Makes a tool from its parts, with the types of `input` and of the context inferred from its schema and
 * its `requires`. Errors: `TypeError` for a bad name, no description, no `run`, a schema that is not closed, has a top-level union, a
 * transform or a refinement, or for an example that the schema refuses.
 */
export function defineTool<
  const Input extends SchemaInput,
  const Output extends SchemaInput = JsonSchema,
  const Requires extends readonly CapabilityId[] = readonly [],
  const Uses extends readonly CapabilityId[] = readonly [],
>(spec: ToolSpec<Input, Output, Requires, Uses>): Tool {
  assertToolName(spec.name);
  assertParts(spec);
  const { capabilities, timeoutMs } = spec;
  // The kernel hands a tool only arguments that its own schema has admitted, and a context with just the
  // services that it declared: these two casts restore what validation has established.
  const typed = (input: unknown) => input as InferSchema<Input>;
  const fixed = fixCapabilities({
    ...cautiousCapabilities,
    ...(typeof capabilities === 'function' ? {} : capabilities),
  });
  const run = spec.run as unknown as Tool['run'];
  return Object.freeze<Tool>({
    name: spec.name,
    title: spec.title,
    description: spec.description,
    input: toInputSchema(spec.input, { tool: spec.name, examples: spec.examples ?? [] }),
    output: spec.output === undefined ? undefined : toOutputSchema(spec.output, spec.name),
    examples: spec.examples ?? [],
    keywords: spec.keywords ?? [],
    requires: spec.requires ?? [],
    uses: spec.uses ?? [],
    visibility: spec.visibility ?? 'visible',
    orchestrator: spec.orchestrator ?? false,
    untrusted: spec.untrusted ?? false,
    timeoutMs: (input) =>
      typeof timeoutMs === 'function' ? timeoutMs(typed(input)) : (timeoutMs ?? defaultTimeoutMs),
    capabilities:
      typeof capabilities === 'function'
        ? (input) => ({ ...cautiousCapabilities, ...capabilities(typed(input)) })
        : () => fixed,
    effects: (input, context) =>
      spec.effects === undefined ? unknownEffects : spec.effects(typed(input), context),
    run: (input, context) => run.call(spec, input, context),
  });
}

/** Callers without types may leave out what no tool can do without. Errors: `TypeError`. */
function assertParts(spec: {
  readonly name: string;
  readonly description: unknown;
  readonly run: unknown;
}): void {
  if (typeof spec.description !== 'string') {
    throw new TypeError(`Tool ${spec.name}: description must be a text, for models to choose by.`);
  }
  if (typeof spec.run !== 'function') {
    throw new TypeError(`Tool ${spec.name}: run must be a function that resolves to { output }.`);
  }
}

import {
  defineTool,
  type Effect,
  type Tool,
  type ToolCapabilities,
  type ToolOutput,
} from '@toolwright/core';

/** What a small tool declares; the default may run beside anything. */
export interface SmallToolOptions {
  readonly visibility?: Tool['visibility'];
  readonly capabilities?: Partial<ToolCapabilities>;
  readonly effects?: readonly Effect[];
}

/** A tool without arguments. */
export function smallTool(
  name: string,
  run: (context: { readonly signal: AbortSignal }) => Promise<ToolOutput>,
  options: SmallToolOptions = {},
): Tool {
  const { visibility = 'visible', capabilities = parallel, effects = [] } = options;
  return defineTool({
    name,
    description: `Does ${name}.`,
    input: { type: 'object', additionalProperties: false, properties: {} },
    visibility,
    capabilities,
    effects: () => effects,
    run: async (_input, context) => run(context),
  });
}

const parallel = { readOnly: true, idempotent: true, cancellationSafe: true, maxParallelism: 64 };

import type { ToolOutput, Trust } from '../tool/tool-output.ts';

const trusts: ReadonlySet<unknown> = new Set<Trust>(['workspace_data', 'external', 'trusted']);

/**
 * What a tool returned, each field read once and bytes copied: whatever becomes of the tool's own object, what is
 * hashed, shown and kept is the same. Large bytes are no copy: they are hashed and cut before anything else runs, and only a store that keeps
 * so much, and waits before it reads them, could see what became of them since.
 * A trust that is none is taken as `external`. Errors: `TypeError` for what is no output.
 */
export function takeOutput(returned: unknown, tool: string): ToolOutput {
  if (typeof returned !== 'object' || returned === null) throw noOutput(tool);
  // What a tool of another language or a careless one may return; each field is looked at below or by its own bound.
  const { output, structured, content, metadata, trust, exitCode } =
    returned as Partial<ToolOutput>;
  const taken: Taken = {
    output: takeText(output, tool),
    trust: trust === undefined ? 'workspace_data' : trusts.has(trust) ? trust : 'external',
    exitCode: exitCode === undefined || exitCode === 0 ? 0 : 1,
  };
  if (structured !== undefined) taken.structured = structured;
  if (content !== undefined) taken.content = content;
  if (metadata !== undefined) taken.metadata = metadata;
  return taken;
}

type Taken = { -readonly [Field in keyof ToolOutput]: ToolOutput[Field] };

function takeText(output: unknown, tool: string): ToolOutput['output'] {
  if (typeof output === 'string') return output;
  if (output instanceof Uint8Array) return isLarge(output) ? output : new Uint8Array(output);
  if (isStream(output)) return output;
  throw noOutput(tool);
}

/** As much as the store in memory keeps; new memory for more would cost several times its hashing. */
const copiedBytes = 16 * 1024 * 1024;

/** Whether an output is taken as it is, to be projected at once. */
export function isLarge(output: Uint8Array): boolean {
  return output.length > copiedBytes;
}

function isStream(value: unknown): value is AsyncIterable<Uint8Array> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function noOutput(tool: string): TypeError {
  return new TypeError(`${tool} returned no output: run must resolve to { output }.`);
}

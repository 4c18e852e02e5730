import { isJsonArray, isJsonObject, type JsonValue } from '../json/json.ts';
import { cautiousCapabilities, type ToolCapabilities } from './capabilities.ts';
import type { Tool } from './tool.ts';

/**
 * What every call of a tool may be taken to declare, as far as it can be told without one: what is common to a call
 * without arguments, to the tool's examples, and to each value of a field that has only a few. A tool that reads or
 * writes by its arguments comes out as writing.
 */
export function commonCapabilities(tool: Tool): ToolCapabilities {
  let common: ToolCapabilities | undefined;
  for (const input of samples(tool)) {
    const declared = declaredBy(tool, input);
    common = common === undefined ? declared : meet(common, declared);
  }
  return common ?? cautiousCapabilities;
}

function declaredBy(tool: Tool, input: unknown): ToolCapabilities {
  try {
    return tool.capabilities(input);
  } catch {
    // It needs arguments that this sample lacks; then nothing is promised.
    return cautiousCapabilities;
  }
}

function samples(tool: Tool): readonly unknown[] {
  const { properties } = tool.input;
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  return [
    {},
    ...tool.examples,
    ...fields.flatMap(([name, schema]) => valuesOf(schema).map((value) => ({ [name]: value }))),
  ];
}

function valuesOf(schema: JsonValue): readonly JsonValue[] {
  if (!isJsonObject(schema)) return [];
  const { enum: values, type } = schema;
  if (values !== undefined && isJsonArray(values)) return values;
  return type === 'boolean' ? [true, false] : [];
}

function meet(a: ToolCapabilities, b: ToolCapabilities): ToolCapabilities {
  return {
    readOnly: a.readOnly && b.readOnly,
    idempotent: a.idempotent && b.idempotent,
    resumable: a.resumable && b.resumable,
    cancellationSafe: a.cancellationSafe && b.cancellationSafe,
    paginated: a.paginated && b.paginated,
    maxParallelism: Math.min(a.maxParallelism, b.maxParallelism),
    outputKind: a.outputKind === b.outputKind ? a.outputKind : 'mixed',
  };
}

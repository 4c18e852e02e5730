import { toolErrorTypes, type Stage } from '../errors/error-type.ts';
import type { ToolError, ToolErrorObject } from '../errors/tool-error.ts';
import type { JsonObject } from '../json/json.ts';
import { isJsonObject } from '../json/json.ts';
import { snapshotJson } from '../json/snapshot-json.ts';

/** Bounds of the fields that a tool adds to its error; what is over them is left out. */
const fieldLimits = { maxDepth: 32, maxBytes: 1024 * 1024 };

/** What calls itself a `ToolError`: any field may be anything. */
type Claimed = { readonly [Field in keyof ToolError]?: unknown };

/**
 * The wire form of an error as a private, frozen copy, each field read once: what calls itself a `ToolError` may come
 * from any copy of this package, or from none. Errors: `TypeError` for a type outside of the closed list.
 */
export function takeError(error: Claimed, stage: Stage): ToolErrorObject {
  const { type: claimedType, reason, message, detail, retryable, fields } = error;
  const type = toolErrorTypes.find((known) => known === claimedType);
  if (type === undefined) throw new TypeError('A tool error has an unknown type.');
  return Object.freeze<ToolErrorObject>({
    ...takeFields(fields),
    type,
    ...(typeof reason === 'string' ? { reason } : {}),
    stage,
    message: String(message),
    ...(typeof detail === 'string' ? { detail } : {}),
    retryable: retryable === true,
  });
}

function takeFields(fields: unknown): JsonObject {
  const copy = snapshotJson(fields ?? {}, fieldLimits);
  if (!copy.ok || !isJsonObject(copy.value)) return { fields_omitted: true };
  const { type: _type, reason: _reason, detail: _detail, ...own } = copy.value;
  return own;
}

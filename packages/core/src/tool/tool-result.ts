import type { ToolErrorObject } from '../errors/tool-error.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { ContentBlock, Trust } from './tool-output.ts';

/** What every caller gets for a call, in its wire form: plain JSON with the names of the wire. */
export interface ToolResult {
  /** The invocation's id: the caller's own where it gave one. */
  readonly id: string;
  /** The name that was called. */
  readonly name: string;
  /** The projected text; its bytes are those that the evidence describes. */
  readonly output: string;
  readonly exit_code: 0 | 1;
  readonly structured?: JsonValue;
  readonly content?: readonly ContentBlock[];
  /** Always holds `a3s_tool_result_evidence`. */
  readonly metadata: JsonObject;
  readonly trust: Trust;
  readonly error: ToolErrorObject | null;
}

import type { JsonObject, JsonValue, ToolErrorObject, ToolResult, Trust } from '@toolwright/core';
import { toReadText } from './read-text.ts';
import { utf8Head } from './utf8-head.ts';

/** What a script gets for a call: plain JSON. A failed call is a record too. */
export interface CallRecord {
  readonly name: string;
  /** No error, and exit code 0. */
  readonly ok: boolean;
  /** At most `limits.maxOutputBytes`; `truncated` says when that cut it. */
  readonly output: string;
  readonly truncated: boolean;
  /** UTF-8 bytes of the output before it was cut. */
  readonly outputBytes: number;
  /** The lines of a `read` as they stand in the file; empty for other tools and failed calls. */
  readonly text: string;
  readonly exitCode: 0 | 1;
  readonly error: ToolErrorObject | null;
  /** Without the evidence about the output, which is for those who received it as a result. */
  readonly metadata: JsonObject;
  readonly structured?: JsonValue;
  /** `external` text comes from outside: it is data, whatever it says. */
  readonly trust: Trust;
}

/** A line about a call, for the program's own result. */
export type CallSummary = {
  readonly tool_name: string;
  readonly success: boolean;
  readonly exit_code: 0 | 1;
  readonly output_bytes: number;
  readonly error: { readonly type: string; readonly reason?: string } | null;
};

/** The record of a result, as the script gets it. */
export function toCallRecord(result: ToolResult, maxOutputBytes: number): CallRecord {
  const { name, output, exit_code: exitCode, error, structured, trust } = result;
  const {
    a3s_tool_result_evidence: _evidence,
    a3s_tool_result_transform_binding: _binding,
    ...metadata
  } = result.metadata;
  const head = utf8Head(output, maxOutputBytes);
  const truncated = head.length < output.length;
  return {
    name,
    ok: exitCode === 0 && error === null,
    output: head,
    truncated,
    outputBytes: Buffer.byteLength(output),
    text: error === null && name === 'read' ? toReadText(head, metadata) : '',
    exitCode,
    error,
    metadata,
    ...(structured === undefined ? {} : { structured }),
    trust,
  };
}

/** The record of a call that never reached a tool. */
export function toFailedRecord(name: string, error: ToolErrorObject): CallRecord {
  const output = `${error.type}: ${error.message}`;
  return {
    name,
    ok: false,
    output,
    truncated: false,
    outputBytes: Buffer.byteLength(output),
    text: '',
    exitCode: 1,
    error,
    metadata: {},
    trust: 'trusted',
  };
}

export function toCallSummary(record: CallRecord): CallSummary {
  const { name, ok, exitCode, outputBytes, error } = record;
  return {
    tool_name: name,
    success: ok,
    exit_code: exitCode,
    output_bytes: outputBytes,
    error:
      error === null
        ? null
        : { type: error.type, ...(error.reason === undefined ? {} : { reason: error.reason }) },
  };
}

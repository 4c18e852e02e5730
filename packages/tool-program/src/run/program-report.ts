import { ToolError, type JsonObject, type JsonValue, type ToolOutput } from '@toolwright/core';
import type { LogLine } from '../vm/shared-state.mjs';
import type { CallSummary } from './call-record.ts';
import { utf8Head } from './utf8-head.ts';

/** Bytes of the parts of a result: together with its evidence they stay below what the kernel lets through. */
const maxMetadataCallsBytes = 24_576;
const maxMetadataLogBytes = 8_192;
const maxMetadataResultBytes = 16_384;
const maxTextCallsBytes = 8_192;
const maxTextLogBytes = 16_384;

/** How a program ended. */
export type ProgramOutcome =
  | 'success'
  | 'script_error'
  | 'out_of_memory'
  | 'stack_overflow'
  | 'result_too_large'
  | 'timeout'
  | 'cancelled'
  | 'divergence'
  | 'fault';

/** What happened, whatever the outcome. */
export interface ProgramFacts {
  readonly language: string;
  readonly calls: readonly CallSummary[];
  /** Calls beyond the limit, which were not made. */
  readonly refusedCalls: number;
  readonly lines: readonly LogLine[];
  readonly droppedLines: number;
  /** Whether text from outside has reached the script: then its result is untrusted too. */
  readonly external: boolean;
  readonly maxOutputBytes: number;
  /** Durable programs: calls that were answered from the log. */
  readonly replayedCalls?: number;
}

/** The result of a program that came to a value. */
export function toSuccess(value: JsonValue, facts: ProgramFacts): ToolOutput {
  const json = JSON.stringify(value);
  const summary = summaryOf(value);
  const head = ['Program completed.', ...(summary === undefined ? [] : [summary]), callsText(facts)]
    .filter((part) => part !== '')
    .join('\n');
  const log = logText(facts);
  const before = log === '' ? head : `${head}\n${log}`;
  const room = facts.maxOutputBytes - Buffer.byteLength(before) - resultHeading.length;
  return {
    output: cut(
      `${before}${resultHeading}${cut(JSON.stringify(value, null, 2), Math.max(room, 1_024))}`,
      facts.maxOutputBytes,
    ),
    structured: value,
    metadata: {
      program: programFacts('success', facts),
      script_result:
        Buffer.byteLength(json) <= maxMetadataResultBytes
          ? value
          : { truncated: true, original_bytes: Buffer.byteLength(json) },
    },
    trust: facts.external ? 'external' : 'workspace_data',
  };
}

/** The same error with all that a caller has to know about the program. */
export function toFailure(
  error: ToolError,
  outcome: Exclude<ProgramOutcome, 'success'>,
  facts: ProgramFacts,
): ToolError {
  const { message, reason, retryable, fields, detail } = error;
  const parts = [error.output ?? '', callsText(facts), logText(facts)].filter(
    (part) => part !== '',
  );
  // The kernel sets this line before the rest.
  const room = facts.maxOutputBytes - Buffer.byteLength(`${error.type}: ${message}\n`);
  return new ToolError(error.type, message, {
    ...(reason === undefined ? {} : { reason }),
    ...(detail === undefined ? {} : { detail }),
    retryable,
    fields,
    output: cut(parts.join('\n'), Math.max(0, room)),
    metadata: { program: programFacts(outcome, facts) },
    cause: error,
  });
}

const resultHeading = '\nResult:\n';

function programFacts(outcome: ProgramOutcome, facts: ProgramFacts): JsonObject {
  const { kept, omitted } = within(facts.calls, maxMetadataCallsBytes);
  const lines = within(
    facts.lines
      .filter(({ level }) => level !== 'progress')
      .map(({ level, text }) => ({ level, text: utf8Head(text, 2_048) })),
    maxMetadataLogBytes,
  );
  const dropped = facts.droppedLines + lines.omitted;
  return {
    name: 'script',
    language: facts.language,
    runtime: 'quickjs-wasi',
    success: outcome === 'success',
    outcome,
    tool_calls: kept,
    ...(omitted === 0 ? {} : { omitted_tool_calls: omitted }),
    ...(facts.refusedCalls === 0 ? {} : { refused_tool_calls: facts.refusedCalls }),
    ...(lines.kept.length === 0 ? {} : { logs: lines.kept }),
    ...(dropped === 0 ? {} : { dropped_log_lines: dropped }),
    ...(facts.replayedCalls === undefined ? {} : { replayed_calls: facts.replayedCalls }),
  };
}

function callsText({ calls, refusedCalls }: ProgramFacts): string {
  if (calls.length === 0 && refusedCalls === 0) return 'Tool calls: 0';
  const rows = calls.map(
    ({ tool_name: name, success, exit_code: code, output_bytes: bytes, error }) => {
      const why = error === null ? '' : ` error=${error.reason ?? error.type}`;
      return `- ${name} ${success ? 'ok' : 'failed'} exit_code=${code} output_bytes=${bytes}${why}`;
    },
  );
  const refused =
    refusedCalls === 0 ? [] : [`- ${refusedCalls} more refused: the limit of calls was reached`];
  return cut([`Tool calls: ${calls.length}`, ...rows, ...refused].join('\n'), maxTextCallsBytes);
}

function logText({ lines, droppedLines }: ProgramFacts): string {
  const shown = lines
    .filter(({ level }) => level !== 'progress')
    .map(({ level, text }) => (level === 'log' ? text : `[${level}] ${text}`));
  if (shown.length === 0) return '';
  const dropped =
    droppedLines === 0 ? [] : [`[${droppedLines} lines were dropped: the log is full]`];
  return [`Log:`, cut(shown.join('\n'), maxTextLogBytes), ...dropped].join('\n');
}

/** As many items from the front as their JSON fits. */
function within<T extends JsonValue>(
  items: readonly T[],
  maxBytes: number,
): { readonly kept: readonly T[]; readonly omitted: number } {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return bytes > maxBytes;
  });
  const kept = end < 0 ? items : items.slice(0, end);
  return { kept, omitted: items.length - kept.length };
}

function cut(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const marker = `\n[cut at ${maxBytes} bytes]`;
  // The bound holds even where there is no room to tell of the cut.
  return maxBytes < marker.length
    ? utf8Head(text, maxBytes)
    : utf8Head(text, maxBytes - marker.length) + marker;
}

function summaryOf(value: JsonValue): string | undefined {
  if (typeof value !== 'object' || value === null || !('summary' in value)) return undefined;
  const { summary } = value;
  return typeof summary === 'string' ? utf8Head(summary, 4_096) : undefined;
}

import {
  ToolError,
  type JsonObject,
  type JsonValue,
  type ToolContextBase,
  type ToolErrorObject,
  type ToolOutput,
  type Trust,
} from '@toolwright/core';
import { utf8Head } from '../run/utf8-head.ts';
import type { BatchItem } from './batch-plan.ts';
import { succeeded, type ItemOutcome } from './run-batch.ts';

/** UTF-8 bytes of one child's metadata before only what matters of it is kept. */
const maxItemMetadataBytes = 4_096;
/** UTF-8 bytes of all of them; with the rest they stay below what the kernel lets through. */
const maxMetadataBytes = 40_960;
/** What is kept of metadata that is too large, as far as it fits. */
const keptKeys = [
  'file_path',
  'changed_paths',
  'status',
  'engine_selection_source',
  'selected_engines',
  'engine_fallback',
  'notices',
  'search_fallback',
  'artifact',
];
const markerReserveBytes = 200;

/** What a report needs beside the outcomes. */
export interface ReportOptions {
  readonly context: Pick<ToolContextBase, 'artifacts' | 'limits'>;
  readonly requestedConcurrency: number;
  readonly appliedConcurrency: number;
}

/**
 * The result of a batch: every item's output under a heading, all of them bounded together. Errors: `partial_failure`
 * when no item came to anything.
 */
export async function toBatchOutput(
  outcomes: readonly ItemOutcome[],
  options: ReportOptions,
): Promise<ToolOutput> {
  const failed = outcomes
    .filter((outcome) => outcome.kind !== 'skipped' && !succeeded(outcome))
    .map(indexOf);
  const skipped = outcomes.filter(({ kind }) => kind === 'skipped').map(indexOf);
  const successes = outcomes.length - failed.length - skipped.length;
  const advice = adviceOf(failed, skipped);
  const output = (await boundText(outcomes, options, advice)) + advice;
  const metadata = toMetadata(outcomes, options, { failed, skipped });
  const trust: Trust = outcomes.some(
    (outcome) => outcome.kind === 'result' && outcome.result.trust === 'external',
  )
    ? 'external'
    : 'workspace_data';
  if (successes > 0) return { output, metadata, trust };
  throw new ToolError(
    'partial_failure',
    `None of the ${outcomes.length} calls of this batch succeeded.`,
    {
      fields: { failed: failed.length, total: outcomes.length },
      ...(trust === 'external' ? { detail: 'Some of what follows comes from outside.' } : {}),
      output,
      metadata,
    },
  );
}

function adviceOf(failed: readonly number[], skipped: readonly number[]): string {
  const parts = [
    ...(failed.length === 0 ? [] : [`${failed.length} failed (indices ${failed.join(', ')})`]),
    ...(skipped.length === 0 ? [] : [`${skipped.length} skipped (indices ${skipped.join(', ')})`]),
  ];
  if (parts.length === 0) return '';
  return `\nNot all calls succeeded: ${parts.join('; ')}. Retry only these, the others are done.\n`;
}

/** The texts under their headings; short ones whole, the rest of the room shared among the long ones. */
async function boundText(
  outcomes: readonly ItemOutcome[],
  { context }: ReportOptions,
  advice: string,
): Promise<string> {
  const parts = outcomes.map((outcome) => ({
    heading: headingOf(outcome.item),
    text: textOf(outcome),
  }));
  const taken = parts.reduce(
    (sum, { heading }) => sum + Buffer.byteLength(heading) + 1,
    advice.length,
  );
  const shares = shareRoom(
    parts.map(({ text }) => Buffer.byteLength(text)),
    Math.max(0, context.limits.maxOutputBytes - taken),
  );
  const bounded = await Promise.all(
    parts.map(async ({ heading, text }, index) => {
      const share = shares[index] ?? 0;
      return `${heading}${Buffer.byteLength(text) <= share ? text : await cut(text, share, context)}\n`;
    }),
  );
  return bounded.join('');
}

/** Gives each what it asks for where that is no more than an equal share of what is left. */
function shareRoom(wanted: readonly number[], room: number): readonly number[] {
  const shares = wanted.map(() => 0);
  let left = room;
  const order = wanted.map((bytes, index) => ({ bytes, index })).sort((a, b) => a.bytes - b.bytes);
  for (const [position, { bytes, index }] of order.entries()) {
    const share = Math.min(bytes, Math.floor(left / (order.length - position)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

/** A beginning of a text, with where the whole of it is. */
async function cut(
  text: string,
  maxBytes: number,
  context: ReportOptions['context'],
): Promise<string> {
  const bytes = Buffer.from(text);
  const writer = await context.artifacts.writer({ mediaType: 'text/plain' });
  await writer.write(bytes);
  const kept = await writer.finish();
  const where = kept.retained
    ? `the whole is at ${kept.artifact.uri}`
    : `the rest was not kept (${kept.reason})`;
  const head = utf8Head(text, Math.max(0, maxBytes - markerReserveBytes));
  return `${head}\n[cut: ${Buffer.byteLength(head)} of ${bytes.length} bytes; ${where}]`;
}

function headingOf({ index, step, tool, id }: BatchItem): string {
  return `--- [${index + 1} / step ${step}: ${tool}${id === null ? '' : ` · ${id}`}] ---\n`;
}

function textOf(outcome: ItemOutcome): string {
  switch (outcome.kind) {
    case 'result':
      return outcome.result.error === null
        ? outcome.result.output
        : `ERROR: ${outcome.result.output}`;
    case 'unbound':
      return `ERROR: ${outcome.error.type}: ${outcome.error.message}`;
    case 'skipped':
      return `SKIPPED: it needs the result of item ${outcome.because + 1}, which did not succeed.`;
  }
}

function toMetadata(
  outcomes: readonly ItemOutcome[],
  { requestedConcurrency, appliedConcurrency }: ReportOptions,
  { failed, skipped }: { readonly failed: readonly number[]; readonly skipped: readonly number[] },
): JsonObject {
  const items = outcomes.map(({ item }) => item);
  const steps = new Set(items.map(({ step }) => step));
  const isStaged = steps.size > 1 || items.some(({ needs }) => needs.length > 0);
  const isSerial = appliedConcurrency === 1 || outcomes.length === 1;
  const successes = outcomes.length - failed.length - skipped.length;
  const roomPerItem = Math.min(
    maxItemMetadataBytes,
    Math.floor(maxMetadataBytes / outcomes.length),
  );
  return {
    status:
      successes === outcomes.length ? 'complete' : successes === 0 ? 'failed' : 'partial_failure',
    requested_concurrency: requestedConcurrency,
    applied_concurrency: appliedConcurrency,
    execution_mode: isStaged ? 'staged' : isSerial ? 'serial' : 'parallel',
    steps: steps.size,
    highest_step: Math.max(...steps),
    total_count: outcomes.length,
    success_count: successes,
    failure_count: failed.length,
    failed_indices: failed,
    skipped_indices: skipped,
    binding_errors: outcomes.flatMap((outcome) =>
      outcome.kind === 'unbound'
        ? [
            {
              id: outcome.item.id,
              index: outcome.item.index,
              error: outcome.error.message.slice(0, 400),
            },
          ]
        : [],
    ),
    results: outcomes.map((outcome) => toItemFacts(outcome, roomPerItem)),
  };
}

function toItemFacts(outcome: ItemOutcome, roomBytes: number): JsonObject {
  const { index, step, id, tool } = outcome.item;
  const result = outcome.kind === 'result' ? outcome.result : undefined;
  const error = result?.error ?? (outcome.kind === 'unbound' ? outcome.error : null);
  return {
    index,
    step,
    id,
    tool,
    success: succeeded(outcome),
    exit_code: result?.exit_code ?? 1,
    output_bytes: Buffer.byteLength(textOf(outcome)),
    error_kind: toErrorFacts(error),
    ...(outcome.kind === 'skipped' ? { skipped: true, because: outcome.because } : {}),
    metadata: boundMetadata(result?.metadata ?? {}, roomBytes),
  };
}

function toErrorFacts(error: ToolErrorObject | null): JsonValue {
  if (error === null) return null;
  const { type, reason, stage, message, retryable } = error;
  return {
    type,
    ...(reason === undefined ? {} : { reason }),
    stage,
    message: message.slice(0, 400),
    retryable,
  };
}

function boundMetadata(metadata: JsonObject, roomBytes: number): JsonObject {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= roomBytes) return metadata;
  const kept: Record<string, JsonValue> = { truncated: true, original_bytes: bytes };
  for (const key of keptKeys) {
    const value = metadata[key];
    if (value === undefined) continue;
    const more = { ...kept, [key]: value };
    if (Buffer.byteLength(JSON.stringify(more)) <= roomBytes) kept[key] = value;
  }
  return kept;
}

function indexOf({ item }: ItemOutcome): number {
  return item.index;
}

import type { JsonValue } from '@toolwright/core';
import type { VmCall } from '../vm/messages.ts';
import { toCallSummary, type CallRecord, type CallSummary } from './call-record.ts';

/** What has become of the calls of one program, for its result in every outcome. */
export class CallLedger {
  readonly #summaries = new Map<number, CallSummary>();
  /** Whether text from outside has reached the script. */
  external = false;

  made({ id, kind, name }: Pick<VmCall, 'id' | 'kind' | 'name'>): void {
    if (kind === 'catalog') return;
    this.#summaries.set(id, {
      tool_name: name,
      success: false,
      exit_code: 1,
      output_bytes: 0,
      error: { type: 'cancelled', reason: 'unfinished' },
    });
  }

  answered({ id, kind }: Pick<VmCall, 'id' | 'kind'>, answer: JsonValue | CallRecord): void {
    if (kind === 'catalog') {
      this.external ||= tellsOfUntrustedTools(answer);
      return;
    }
    // Answers to calls of tools are records, live or from the log.
    const record = answer as CallRecord;
    this.external ||= record.trust === 'external';
    this.#summaries.set(id, toCallSummary(record));
  }

  summaries(): readonly CallSummary[] {
    return [...this.#summaries].sort(([a], [b]) => a - b).map(([, summary]) => summary);
  }
}

/** Descriptions of tools can come from outside as well. */
function tellsOfUntrustedTools(answer: JsonValue | CallRecord): boolean {
  const entries: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  return entries.some(
    (entry) =>
      typeof entry === 'object' &&
      entry !== null &&
      'untrusted' in entry &&
      entry.untrusted === true,
  );
}

/** What kind of text a call answers with. */
export type OutputKind = 'text' | 'structured' | 'diff' | 'mixed';

/**
 * What one call declares of itself, computed from its validated arguments. It serves scheduling, the
 * read-only mode, the fan-out of batches and MCP annotations, and is enforced: a call that says
 * `readOnly` gets a workspace that cannot write.
 */
export interface ToolCapabilities {
  /** The call changes nothing outside the session. */
  readonly readOnly: boolean;
  /** Calling twice has the effect of calling once. */
  readonly idempotent: boolean;
  /** An interrupted call can be continued by its own arguments (a cursor, an offset). */
  readonly resumable: boolean;
  /** Cancelling at any moment leaves nothing half done. */
  readonly cancellationSafe: boolean;
  /** The result can be continued by a cursor. */
  readonly paginated: boolean;
  /** How many calls of this tool may run at once in a session; 1–1024. */
  readonly maxParallelism: number;
  readonly outputKind: OutputKind;
}

/** The cautious default of a tool that says nothing: one at a time, and nothing promised. */
export const cautiousCapabilities: ToolCapabilities = Object.freeze({
  readOnly: false,
  idempotent: false,
  resumable: false,
  cancellationSafe: false,
  paginated: false,
  maxParallelism: 1,
  outputKind: 'text',
});

/** A read that pages: everything promised, `maxParallelism` at once. */
export function paginatedRead(maxParallelism: number): ToolCapabilities {
  return {
    readOnly: true,
    idempotent: true,
    resumable: true,
    cancellationSafe: true,
    paginated: true,
    maxParallelism,
    outputKind: 'text',
  };
}

/** A read that answers at once and may run beside others; it neither pages nor resumes. */
export function parallelRead(maxParallelism: number): ToolCapabilities {
  return { ...paginatedRead(maxParallelism), resumable: false, paginated: false };
}

/** Whether calls with these capabilities may be fanned out side by side. */
export function allowsParallelBatch(capabilities: ToolCapabilities): boolean {
  return (
    capabilities.readOnly &&
    capabilities.idempotent &&
    capabilities.cancellationSafe &&
    capabilities.maxParallelism > 1
  );
}

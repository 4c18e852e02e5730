import { ToolError } from '@toolwright/core';
import type { ExpectedVersion, PromotedChange } from '@toolwright/core';
import type { ChangeContext } from './load-file.ts';

/** Writes one file by stage and promotion, or leaves it as it was. */
export async function promoteFile(
  context: ChangeContext,
  write: {
    readonly path: string;
    readonly content: Uint8Array;
    readonly expected: ExpectedVersion;
  },
): Promise<PromotedChange> {
  const transaction = await context.workspace.writer.begin({ signal: context.signal });
  try {
    await transaction.stage({ kind: 'write', ...write });
    const [change] = await transaction.promoteAll();
    if (change === undefined) throw new ToolError('internal', 'The write was not promoted.');
    return change;
  } finally {
    await transaction.rollback();
  }
}

/** Tries that a change which was made for one state of a file has when another process changes it meanwhile. */
const MAX_TRIES = 3;

/** Does a change again when the file has changed between reading and writing; the caller's own condition is not retried. */
export async function retryOnConflict<T>(
  isConditional: boolean,
  change: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await change();
    } catch (error) {
      const isConflict = ToolError.isInstance(error) && error.type === 'version_conflict';
      if (!isConflict || isConditional || tries === MAX_TRIES) throw error;
    }
  }
}

import { sha256Hex, ToolError, type StateStore } from '@toolwright/core';

/** Runs whose logs are kept; beyond it the oldest that have ended go. */
const maxRuns = 256;
/** Runs that are left when old ones go. */
const runsToKeep = 192;

/** Which durable programs a session's state knows, and which are running in this session. */
export class RunRegistry {
  readonly #running = new Set<string>();

  /**
   * Takes a run for this caller alone. Errors: `version_conflict` with `run_in_progress`, when the same session runs it
   * already. Other processes on the same state are the host's to keep apart.
   */
  claim(runId: string): { readonly key: string; release(): void } {
    if (this.#running.has(runId)) {
      throw new ToolError(
        'version_conflict',
        `The run ${JSON.stringify(runId)} is under way; wait for it, or choose another run_id.`,
        { reason: 'run_in_progress' },
      );
    }
    this.#running.add(runId);
    return {
      key: `runs/${hash(runId)}`,
      release: () => void this.#running.delete(runId),
    };
  }

  /** Says that a run has come to its end, so that its log may go when there are too many. */
  async ended(state: StateStore, runId: string, nowMs: number): Promise<void> {
    await state.write(`ended/${hash(runId)}`, Buffer.from(String(nowMs)));
  }

  /** Makes room for a new log. Errors: `limit_exceeded` with `too_many_runs`, when none of the old ones has ended. */
  async makeRoom(state: StateStore): Promise<void> {
    const runs = await state.list('runs/');
    if (runs.length < maxRuns) return;
    const ended = await Promise.all(
      (await state.list('ended/')).map(async (key) => ({
        key,
        at: Number(new TextDecoder().decode(await state.read(key))),
      })),
    );
    const surplus = ended.sort((a, b) => a.at - b.at).slice(0, runs.length - runsToKeep);
    for (const { key } of surplus) {
      await state.delete(`runs/${key.slice('ended/'.length)}`);
      await state.delete(key);
    }
    if (runs.length - surplus.length >= maxRuns) {
      throw new ToolError(
        'limit_exceeded',
        `${maxRuns} durable programs have begun and not ended; finish some of them first.`,
        { reason: 'too_many_runs' },
      );
    }
  }
}

function hash(runId: string): string {
  return sha256Hex(new TextEncoder().encode(runId));
}

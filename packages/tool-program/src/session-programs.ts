import type { SessionResource } from '@toolwright/core';
import { RunRegistry } from './durable/run-registry.ts';
import { OfferedTools } from './run/offered-tools.ts';
import type { ProgramServices } from './run/run-program.ts';
import { VmPool, type VmPoolOptions } from './vm/vm-pool.ts';

/** What the programs of a session share: made with the first of them, closed with the session. */
export function createProgramResource(
  options: VmPoolOptions,
): SessionResource<ProgramServices & { pool: VmPool }> {
  return {
    create: () => ({
      pool: new VmPool(options),
      runs: new RunRegistry(),
      offered: new OfferedTools(),
    }),
    close: ({ pool }) => pool.close(),
  };
}

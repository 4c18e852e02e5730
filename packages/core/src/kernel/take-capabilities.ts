import type { ToolCapabilities } from '../tool/capabilities.ts';

/**
 * A private, frozen copy of what a tool said of its call, each field read once: what was judged is what is enforced. Named
 * field by field, which costs V8 a fraction of a spread.
 */
export function takeCapabilities(told: ToolCapabilities): ToolCapabilities {
  return Object.freeze<ToolCapabilities>({
    readOnly: told.readOnly,
    idempotent: told.idempotent,
    resumable: told.resumable,
    cancellationSafe: told.cancellationSafe,
    paginated: told.paginated,
    maxParallelism: told.maxParallelism,
    outputKind: told.outputKind,
  });
}

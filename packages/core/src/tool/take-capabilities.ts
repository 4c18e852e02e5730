import type { ToolCapabilities } from './capabilities.ts';

/** Those of tools that say the same of every call: taken once. */
const fixed = new WeakSet<ToolCapabilities>();

/**
 * A private, frozen copy of what a tool said of its call, each field read once: what was judged is what is enforced. Named
 * field by field, which costs V8 a fraction of a spread.
 */
export function takeCapabilities(told: ToolCapabilities): ToolCapabilities {
  if (fixed.has(told)) return told;
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

/** The same for what a tool says of all its calls: taken again, it is what it was. */
export function fixCapabilities(told: ToolCapabilities): ToolCapabilities {
  const taken = takeCapabilities(told);
  fixed.add(taken);
  return taken;
}

import {
  ToolError,
  type JsonObject,
  type ToolContextBase,
  type ToolErrorObject,
  type ToolResult,
} from '@toolwright/core';
import { planBatch, waitsFor, type BatchInvocation, type BatchItem } from './batch-plan.ts';
import { bind, targetOf, toProjection, valueAt, type Projection } from './references.ts';

/** What became of one call of a batch. */
export type ItemOutcome =
  | { readonly kind: 'result'; readonly item: BatchItem; readonly result: ToolResult }
  /** Its own references cannot be followed: it was not called. */
  | { readonly kind: 'unbound'; readonly item: BatchItem; readonly error: ToolErrorObject }
  /** An item that it refers to came to nothing: it was not called. */
  | { readonly kind: 'skipped'; readonly item: BatchItem; readonly because: number };

/** Whether a call came to what it was made for. */
export function succeeded(outcome: ItemOutcome | undefined): boolean {
  return (
    outcome?.kind === 'result' && outcome.result.error === null && outcome.result.exit_code === 0
  );
}

/**
 * Runs the calls of a batch, each as soon as what it waits for has settled and a place is free. What two calls must not
 * do at once is the kernel's to know: it serialises exactly those. Errors: those of the batch as a whole.
 */
export async function runBatch(
  invocations: readonly BatchInvocation[],
  context: Pick<ToolContextBase, 'invoke' | 'signal' | 'progress'>,
  maxConcurrency: number,
): Promise<readonly ItemOutcome[]> {
  const items = planBatch(invocations);
  const outcomes = new Map<number, ItemOutcome>();
  const running = new Set<Promise<void>>();
  const started = new Set<number>();
  const settle = (outcome: ItemOutcome): void => {
    outcomes.set(outcome.item.index, outcome);
    context.progress({ current: outcomes.size, total: items.length });
  };
  while (outcomes.size < items.length) {
    context.signal.throwIfAborted();
    for (const item of items) {
      if (started.has(item.index) || running.size >= maxConcurrency) continue;
      if (items.some((other) => waitsFor(item, other) && !outcomes.has(other.index))) continue;
      started.add(item.index);
      const run: Promise<void> = runItem(item, context, outcomes)
        .then(settle)
        .finally(() => running.delete(run));
      running.add(run);
    }
    await Promise.race(running);
  }
  return items.map((item) => outcomes.get(item.index)).filter((outcome) => outcome !== undefined);
}

async function runItem(
  item: BatchItem,
  context: Pick<ToolContextBase, 'invoke'>,
  outcomes: ReadonlyMap<number, ItemOutcome>,
): Promise<ItemOutcome> {
  if (item.refusal !== null) {
    return { kind: 'unbound', item, error: item.refusal.toObject('guard') };
  }
  const because = item.needs.find((index) => !succeeded(outcomes.get(index)));
  if (because !== undefined) return { kind: 'skipped', item, because };
  let args: JsonObject;
  try {
    args = bindArguments(item, outcomes);
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error;
    return { kind: 'unbound', item, error: error.toObject('guard') };
  }
  return {
    kind: 'result',
    item,
    result: await context.invoke({ name: item.tool, arguments: args }),
  };
}

/** The arguments of an item whose needs have all come to something. */
function bindArguments(item: BatchItem, outcomes: ReadonlyMap<number, ItemOutcome>): JsonObject {
  const projections = new Map<string, Projection>();
  for (const index of item.needs) {
    const outcome = outcomes.get(index);
    if (outcome?.kind !== 'result' || outcome.item.id === null) continue;
    projections.set(outcome.item.id, toProjection(outcome.result));
  }
  const bound = bind(item.args, (reference) => {
    const id = targetOf(reference, [...projections.keys()]) ?? '';
    const projection = projections.get(id);
    // Planning has found the item of every reference.
    if (projection === undefined) throw new TypeError(`No result for ${reference}.`);
    return valueAt(projection, reference, id);
  });
  // Arguments are an object without a $ref of their own; binding keeps their shape.
  return bound as JsonObject;
}

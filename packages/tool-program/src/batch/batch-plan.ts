import { ToolError, type JsonObject } from '@toolwright/core';
import { findReferences, targetOf } from './references.ts';

/** One call of a batch, as it was asked for. */
export interface BatchInvocation {
  readonly tool: string;
  readonly args: JsonObject;
  readonly id?: string | undefined;
  readonly step?: number | undefined;
}

/** One call of a batch, with what it waits for. */
export interface BatchItem {
  readonly index: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly id: string | null;
  /** 1–32. */
  readonly step: number;
  /** Items whose results it takes. */
  readonly needs: readonly number[];
  /** Why it cannot be run; told before anything is. */
  readonly refusal: ToolError | null;
}

/**
 * The calls of a batch and what each waits for: the items that it refers to, and every item of an earlier step. Errors:
 * what is wrong with the batch as a whole. An item that cannot be run carries its own refusal.
 */
export function planBatch(invocations: readonly BatchInvocation[]): readonly BatchItem[] {
  const ids = new Map<string, number>();
  for (const [index, { id, tool }] of invocations.entries()) {
    if (tool === 'batch') {
      throw new ToolError('recursion', `Item ${index} is a batch; put its calls into this one.`, {
        reason: 'already_running',
      });
    }
    if (id === undefined) continue;
    if (id.trim() === '') throw invalid(`The id of item ${index} is blank.`);
    if (id.startsWith('#')) {
      throw invalid(
        `The id of item ${index} begins with #, which in a $ref means a JSON Schema; choose another.`,
      );
    }
    const other = ids.get(id);
    if (other !== undefined)
      throw invalid(`Items ${other} and ${index} have the same id ${JSON.stringify(id)}.`);
    ids.set(id, index);
  }
  const steps = invocations.map(({ step = 1 }) => step);
  const items = invocations.map((invocation, index) => toItem(invocation, index, { ids, steps }));
  const stuck = findCycle(items);
  return items.map((item) =>
    stuck.has(item.index) && item.refusal === null
      ? {
          ...item,
          needs: [],
          refusal: badReference('The references of this item lead back to it.'),
        }
      : item,
  );
}

function toItem(
  invocation: BatchInvocation,
  index: number,
  { ids, steps }: { readonly ids: ReadonlyMap<string, number>; readonly steps: readonly number[] },
): BatchItem {
  const { tool, args, id = null, step = 1 } = invocation;
  const item = { index, tool, args, id, step };
  try {
    const needs = findReferences(args).map((reference) => {
      const target = ids.get(targetOf(reference, [...ids.keys()]) ?? '');
      if (target !== undefined && (steps[target] ?? 1) <= step) return target;
      if (target !== undefined) {
        throw badReference(`${JSON.stringify(reference)} is the result of a later step.`);
      }
      const known =
        ids.size === 0 ? 'no item has an id' : `the ids are ${[...ids.keys()].join(', ')}`;
      throw badReference(`${JSON.stringify(reference)} begins with the id of no item; ${known}.`);
    });
    return { ...item, needs: [...new Set(needs)], refusal: null };
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error;
    return { ...item, needs: [], refusal: error };
  }
}

/** Whether `item` must wait for `other`. */
export function waitsFor(item: BatchItem, other: BatchItem): boolean {
  return other.step < item.step || item.needs.includes(other.index);
}

/** Items that could never run: each waits, over others perhaps, for itself. */
function findCycle(items: readonly BatchItem[]): ReadonlySet<number> {
  const waiting = new Set(items.map(({ index }) => index));
  for (let freed = true; freed;) {
    freed = false;
    for (const item of items) {
      if (!waiting.has(item.index)) continue;
      const blocked = items.some((other) => waiting.has(other.index) && waitsFor(item, other));
      if (blocked) continue;
      waiting.delete(item.index);
      freed = true;
    }
  }
  // Behind a cycle others wait too; only those on it are at fault.
  return new Set(
    items
      .filter((item) => waiting.has(item.index) && reaches(item, item, { items, seen: new Set() }))
      .map(({ index }) => index),
  );
}

function reaches(
  from: BatchItem,
  goal: BatchItem,
  walk: { readonly items: readonly BatchItem[]; readonly seen: Set<number> },
): boolean {
  return walk.items.some((next) => {
    if (!waitsFor(from, next)) return false;
    if (next.index === goal.index) return true;
    if (walk.seen.has(next.index)) return false;
    walk.seen.add(next.index);
    return reaches(next, goal, walk);
  });
}

function invalid(message: string): ToolError {
  return new ToolError('invalid_argument', message);
}

function badReference(message: string): ToolError {
  return new ToolError('invalid_argument', message, { reason: 'bad_reference' });
}

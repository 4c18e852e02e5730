import { diffArrays } from 'diff';

/** A run of lines that was replaced: lines before, and what stands there after. Line numbers are 0-based. */
export interface LineChange {
  readonly beforeLine: number;
  readonly removed: readonly string[];
  readonly afterLine: number;
  readonly added: readonly string[];
}

/** Lines with their endings; together they are the text. */
export function linesWithEndings(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Lines that differ up to which a shortest difference is looked for. */
const MAX_DIFFERENCES = 2_000;

/**
 * What changed from one list of lines to another. Where they differ in more than 2,000 lines, the whole is one change:
 * the search for a shortest difference takes quadratic time.
 */
export function lineChanges(before: readonly string[], after: readonly string[]): LineChange[] {
  const parts =
    leastDifferences(before, after) > MAX_DIFFERENCES
      ? undefined
      : diffArrays([...before], [...after], { maxEditLength: MAX_DIFFERENCES });
  if (parts === undefined) {
    return [{ beforeLine: 0, removed: before, afterLine: 0, added: after }];
  }
  const changes: LineChange[] = [];
  let beforeLine = 0;
  let afterLine = 0;
  let removed: string[] = [];
  let added: string[] = [];
  const flush = (): void => {
    if (removed.length > 0 || added.length > 0) {
      changes.push({ beforeLine, removed, afterLine, added });
    }
    beforeLine += removed.length;
    afterLine += added.length;
    removed = [];
    added = [];
  };
  for (const part of parts) {
    if (part.removed) removed = [...removed, ...part.value];
    else if (part.added) added = [...added, ...part.value];
    else {
      flush();
      beforeLine += part.value.length;
      afterLine += part.value.length;
    }
  }
  flush();
  return changes;
}

/** How many lines must be removed or added at least: those that one text has more often than the other. */
function leastDifferences(before: readonly string[], after: readonly string[]): number {
  const surplus = new Map<string, number>();
  for (const line of before) surplus.set(line, (surplus.get(line) ?? 0) + 1);
  for (const line of after) surplus.set(line, (surplus.get(line) ?? 0) - 1);
  let least = 0;
  for (const count of surplus.values()) least += Math.abs(count);
  return least;
}

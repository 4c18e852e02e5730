import * as fc from 'fast-check';

/** A text by its lines, and one change of it: `removed` lines at `at` give way to `added`. */
export interface LineChange {
  readonly lines: readonly string[];
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

/** Changes of texts whose lines are all different, so that only one place can be meant. */
export const lineChange: fc.Arbitrary<LineChange> = fc
  .record({
    count: fc.integer({ min: 1, max: 30 }),
    at: fc.nat({ max: 29 }),
    removed: fc.nat({ max: 3 }),
    added: fc.nat({ max: 3 }),
  })
  .filter(({ removed, added }) => removed + added > 0)
  .map(({ count, at, removed, added }) => {
    const start = Math.min(at, count - 1);
    return {
      lines: Array.from({ length: count }, (_, index) => `line ${index}`),
      at: start,
      removed: Math.min(removed, count - start),
      added: Array.from({ length: added }, (_, index) => `new ${index}`),
    };
  })
  .filter(({ removed, added }) => removed + added.length > 0);

/** The lines after the change. */
export function changedLines({ lines, at, removed, added }: LineChange): readonly string[] {
  return lines.toSpliced(at, removed, ...added);
}

/** The change as a hunk with context; `drift` is added to its line numbers, null leaves them out. */
export function hunkOf(change: LineChange, context: number, drift: number | null): string {
  const { lines, at, removed, added } = change;
  const first = Math.max(0, at - context);
  const before = lines.slice(first, at);
  const after = lines.slice(at + removed, at + removed + context);
  const shared = before.length + after.length;
  const old = shared + removed;
  const created = shared + added.length;
  const start = Math.max(0, first + 1 + (drift ?? 0));
  const header = drift === null ? '@@' : `@@ -${start},${old} +${start},${created} @@`;
  const body = [
    ...before.map((line) => ` ${line}`),
    ...lines.slice(at, at + removed).map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...after.map((line) => ` ${line}`),
  ];
  return [header, ...body, ''].join('\n');
}

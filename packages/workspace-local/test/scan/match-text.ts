import { ScannerMemory } from '../../src/scan/scanner-memory.ts';
import { createSearchPlan, type PatternOptions } from '../../src/scan/search-plan.ts';
import { TextMatcher } from '../../src/scan/text-matcher.ts';

const memory = new ScannerMemory();

/** The matches of a pattern in a text: 1-based first and last line, and the matched bytes of a multiline search. */
export function matchText(
  pattern: string,
  text: string | Uint8Array,
  options: Partial<PatternOptions> = {},
): { first: number; last: number; start: number; end: number }[] {
  const plan = createSearchPlan({
    pattern,
    literal: false,
    caseSensitive: true,
    multiline: false,
    ...options,
  });
  const matcher = new TextMatcher(memory, plan, () => false);
  const bytes = Buffer.from(text);
  memory.reserveText(bytes.length);
  matcher.refresh();
  const base = memory.textStart;
  memory.bytes.set(bytes, base);
  const found: { first: number; last: number; start: number; end: number }[] = [];
  matcher.eachMatch(base, base + bytes.length, (match) => {
    const lines = (from: number, to: number) =>
      bytes.subarray(from - base, to - base).filter((b) => b === 10).length;
    const first = 1 + lines(base, match.lineStart);
    found.push({
      first,
      last: first + lines(match.lineStart, match.lineEnd),
      start: match.start - base,
      end: match.end - base,
    });
  });
  return found;
}

/** The numbers of the lines that match. */
export function matchingLines(
  pattern: string,
  text: string | Uint8Array,
  options: Partial<PatternOptions> = {},
): number[] {
  return [
    ...new Set(
      matchText(pattern, text, options).flatMap(({ first, last }) =>
        Array.from({ length: last - first + 1 }, (_, index) => first + index),
      ),
    ),
  ];
}

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLines, hasLinesAt } from '../../src/patch/find-lines.ts';
import { toSourceText } from '../../src/patch/source-text.ts';

const common = fc.constantFrom('a', 'a', 'a', 'b');
const lines = fc.array(common, { maxLength: 400 });

test('the same places as by trying each', () => {
  fc.assert(
    fc.property(
      lines,
      fc.array(common, { minLength: 1, maxLength: 80 }),
      fc.nat({ max: 20 }),
      (all, wanted, from) => {
        const source = toSourceText(all.map((line) => `${line}\n`).join(''));
        const naive = all
          .map((_, at) => at)
          .filter((at) => at >= from && hasLinesAt(source, wanted, at));
        const options = { from, accepts: (at: number) => at % 3 !== 0 };
        const accepted = naive.filter(options.accepts);
        expect(findLines(source, wanted, { ...options, limit: 1000 })).toEqual(accepted);
        expect(findLines(source, wanted, { ...options, limit: 2 })).toEqual(accepted.slice(0, 2));
      },
    ),
    { numRuns: 500, seed: 3 },
  );
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PostingLists } from '../../src/bm25/posting-lists.ts';

test('keeps what a list of lists would keep, for rare terms and for common ones', () => {
  // Steps: a term that occurs, or the next document.
  const step = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(0, 0, 0, 1, 2, 5000) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 3000, size: 'max' }), (steps) => {
      const lists = new PostingLists();
      const expected = new Map<number, number[]>();
      let doc = 0;
      for (const term of steps) {
        if (term === undefined) {
          doc += 1;
          continue;
        }
        lists.add(term, doc);
        const known = expected.get(term) ?? [];
        if (known.at(-2) === doc) known.push((known.pop() ?? 0) + 1);
        else known.push(doc, 1);
        expected.set(term, known);
      }
      for (const term of [0, 1, 2, 3, 5000, 9_000_000]) {
        expect([...lists.read(term)]).toEqual(expected.get(term) ?? []);
      }
    }),
    { numRuns: 60 },
  );
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TermTable } from '../../src/text/term-table.ts';

const unitsOf = (text: string) =>
  Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));

test('numbers terms in the order in which they are met, whatever characters they have', () => {
  const term = fc.string({ unit: 'binary', minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(fc.tuple(term, term)), (pairs) => {
      const table = new TermTable();
      const expected = new Map<string, number>();
      for (const [before, text] of pairs) {
        const id = expected.get(text) ?? expected.size;
        const units = unitsOf(`${before}${text}${before}`);
        expect(table.intern(units, before.length, before.length + text.length)).toBe(id);
        expected.set(text, id);
      }
      expect(table.size).toBe(expected.size);
      for (const text of pairs.flat()) expect(table.find(text)).toBe(expected.get(text));
    }),
  );
});

test('tells apart more terms than it has room for at first', () => {
  const table = new TermTable();
  const terms = Array.from({ length: 20_000 }, (_, i) => (i * 7919).toString(36));
  const ids = terms.map((term) => table.intern(unitsOf(term), 0, term.length));
  expect(ids).toEqual([...terms.keys()]);
  expect(terms.map((term) => table.find(term))).toEqual(ids);
  expect(table.find('none')).toBeUndefined();
});

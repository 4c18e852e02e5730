import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  editText,
  newText,
  toSplices,
  uneditedText,
  type TextSplice,
} from '../../src/patch/edited-text.ts';

const letters = fc.string({ maxLength: 30, unit: fc.constantFrom('a', 'b', 'c', '中') });
const edits = fc.array(
  fc.array(
    fc.record({ gap: fc.nat({ max: 6 }), length: fc.nat({ max: 4 }), replacement: letters }),
    {
      maxLength: 4,
    },
  ),
  { maxLength: 4 },
);

/** The splices of one edit, inside a text of this length. */
function inside(
  length: number,
  edit: readonly { readonly gap: number; readonly length: number; readonly replacement: string }[],
): readonly TextSplice[] {
  let at = 0;
  return edit.map(({ gap, length: size, replacement }) => {
    const start = Math.min(length, at + gap);
    const end = Math.min(length, start + size);
    at = end;
    return { start, end, replacement };
  });
}

function splice(text: string, splices: readonly TextSplice[]): string {
  return splices.reduceRight(
    (whole, { start, end, replacement }) => whole.slice(0, start) + replacement + whole.slice(end),
    text,
  );
}

test('several edits of a text are one set of splices of the original', () => {
  fc.assert(
    fc.property(letters, edits, (original, rounds) => {
      let edited = uneditedText(original);
      let plain = original;
      for (const round of rounds) {
        const splices = inside(plain.length, round);
        edited = editText(edited, splices);
        plain = splice(plain, splices);
      }
      expect(edited.text).toBe(plain);
      expect(splice(original, toSplices(edited, original.length))).toBe(plain);
    }),
    { numRuns: 1000, seed: 5 },
  );
});

test('what nobody edits is kept', () => {
  expect(toSplices(editText(uneditedText('abc'), []), 3)).toEqual([]);
  expect(
    toSplices(editText(uneditedText('abc'), [{ start: 1, end: 2, replacement: 'B' }]), 3),
  ).toEqual([{ start: 1, end: 2, replacement: 'B' }]);
  expect(toSplices(editText(newText('abc'), [{ start: 1, end: 2, replacement: 'B' }]), 0)).toEqual([
    { start: 0, end: 0, replacement: 'aBc' },
  ]);
});

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PatternAutomaton } from '../../src/sanitise/pattern-automaton.ts';

it('knows at every position the longest pattern that ends there', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 2, maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 });
  fc.assert(
    fc.property(fc.array(letters, { minLength: 1, maxLength: 12 }), text, (patterns, input) => {
      const automaton = new PatternAutomaton(patterns.map((pattern) => Buffer.from(pattern)));
      let state = 0;
      for (let end = 1; end <= input.length; end += 1) {
        state = automaton.next(state, input.charCodeAt(end - 1));
        const read = input.slice(0, end);
        const found = patterns.filter((pattern) => read.endsWith(pattern));
        expect(automaton.matchLength[state]).toBe(
          Math.max(0, ...found.map(({ length }) => length)),
        );
        const begun = patterns.flatMap((pattern) =>
          Array.from({ length: pattern.length }, (_, index) => pattern.slice(0, index + 1)),
        );
        const open = begun.filter((prefix) => read.endsWith(prefix)).map(({ length }) => length);
        expect(automaton.depth[state]).toBe(Math.max(0, ...open));
        const bytes = Buffer.from(input);
        const mayBegin = (at: number) =>
          patterns.some((pattern) => pattern.startsWith(input.slice(at, at + 2)));
        let first = end - 1;
        while (first < input.length && !mayBegin(first)) first += 1;
        expect(automaton.skip(bytes, end - 1)).toBe(first);
      }
    }),
  );
});

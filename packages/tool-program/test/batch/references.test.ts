import { expect, test } from 'vitest';
import { bind, findReferences } from '../../src/batch/references.ts';

const args = {
  schema: { $ref: '#/$defs/a', $defs: { a: { title: { $ref: 's.output.text' } } } },
  list: [{ $ref: 's.metadata' }, { $ref: '#' }],
};

test('a $ref of a JSON Schema is data; references beside and inside it are found', () => {
  expect(findReferences(args)).toEqual(['s.output.text', 's.metadata']);
  expect(findReferences({ $ref: '#/a', more: 1 })).toEqual([]);
});

test('binding replaces references, and leaves those of a JSON Schema as they are', () => {
  expect(bind(args, (reference) => `<${reference}>`)).toEqual({
    schema: { $ref: '#/$defs/a', $defs: { a: { title: '<s.output.text>' } } },
    list: ['<s.metadata>', { $ref: '#' }],
  });
});

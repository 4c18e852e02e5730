import { expect, test } from 'vitest';
import { defineTool } from '../../src/index.ts';

/** As a caller without types writes it. */
const define = (spec: object) => () => Reflect.apply(defineTool, undefined, [spec]);

const parts = {
  name: 'example',
  description: 'Is an example.',
  input: { type: 'object' },
  run: async () => ({ output: '' }),
};

test('a tool without a description or without run is refused by its name', () => {
  expect(define(parts)).not.toThrow();
  expect(define({ ...parts, description: undefined })).toThrow(
    'Tool example: description must be a text',
  );
  expect(define({ ...parts, run: undefined })).toThrow('Tool example: run must be a function');
  expect(define({ ...parts, run: { output: '' } })).toThrow('Tool example: run must be a function');
});

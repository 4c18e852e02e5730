import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { capMemory } from '../../src/vm/memory-cap.ts';

const engine = readFileSync(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm'));
/** A module with one memory of one page, exported as `m`. */
const small = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 0x6d, 2, 0);

test('a capped memory grows to its ceiling and no further', async () => {
  const { instance } = await WebAssembly.instantiate(capMemory(small, 5 * 65_536));
  // The module exports nothing else.
  const memory = instance.exports['m'] as WebAssembly.Memory;
  expect(memory.grow(4)).toBe(1);
  expect(() => memory.grow(1)).toThrow(RangeError);
});

test('the engine still compiles, and only its memory is another', () => {
  const capped = capMemory(engine, 72 * 1024 * 1024);
  expect(WebAssembly.validate(capped)).toBe(true);
  expect(capped.length - engine.length).toBeLessThanOrEqual(4);
  const again = capMemory(capped, 72 * 1024 * 1024);
  expect(Buffer.compare(again, capped)).toBe(0);
});

test.each([
  ['no memory', small.subarray(0, 8)],
  ['two memories', Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 5, 2, 0, 1, 0, 1)],
])('%s', (_name, binary) => {
  expect(() => capMemory(binary, 65_536)).toThrow(TypeError);
});

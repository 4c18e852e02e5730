import { assert, nat, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { utf8Head } from '../../src/run/utf8-head.ts';

test('the longest beginning that fits, with no character split', () => {
  assert(
    property(string({ unit: 'binary' }), nat(60), (text, maxBytes) => {
      const head = utf8Head(text, maxBytes);
      expect(text.startsWith(head)).toBe(true);
      expect(Buffer.byteLength(head)).toBeLessThanOrEqual(maxBytes);
      const whole = Buffer.byteLength(text);
      // The widest character has four bytes.
      expect(Buffer.byteLength(head)).toBeGreaterThan(Math.min(whole, maxBytes) - 4);
    }),
  );
});

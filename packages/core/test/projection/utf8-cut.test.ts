import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutHead, cutTail } from '../../src/projection/utf8-cut.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const decodeAll = (bytes: Uint8Array) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

describe('cutting UTF-8', () => {
  it('TRUNC-003: a byte-limited cut never splits a character', () => {
    const bytes = Uint8Array.of(0xc3, 0xa9, 0xe4, 0xb8, 0xad, 0xf0, 0x9f, 0x98, 0x80);
    const kept = Array.from({ length: 10 }, (_, limit) => cutHead(bytes, limit).text);
    expect(kept).toEqual(['', '', 'é', 'é', 'é', 'é中', 'é中', 'é中', 'é中', 'é中😀']);
    const ends = Array.from({ length: 10 }, (_, limit) => cutTail(bytes, limit).text);
    expect(ends).toEqual(['', '', '', '', '😀', '😀', '😀', '中😀', '中😀', 'é中😀']);
  });

  it('keeps a byte order mark', () => {
    expect(cutHead(encode('\ufeffab'), 4).text).toBe('\ufeffa');
  });

  it('takes the longest well-formed prefix and suffix of well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(60), (text, limit) => {
        const bytes = encode(text);
        const characters = Array.from(decodeAll(bytes));
        const longest = (list: readonly string[]) => {
          let taken = '';
          for (const character of list) {
            if (encode(taken + character).length > limit) break;
            taken += character;
          }
          return taken;
        };
        const head = cutHead(bytes, limit);
        expect(head.text).toBe(longest(characters));
        expect(head.bytes).toBe(encode(head.text).length);
        const tail = cutTail(bytes, limit);
        expect(Array.from(tail.text).toReversed().join('')).toBe(longest(characters.toReversed()));
        expect(tail.bytes).toBe(encode(tail.text).length);
      }),
    );
  });

  it('stays within the limit and agrees with the decoder of the platform on ill-formed bytes', () => {
    const hostile = fc.array(
      fc.oneof(
        fc.nat(255),
        fc.constantFrom(0xe0, 0xed, 0xf0, 0xf4, 0xc2, 0xff, 0x80, 0x9f, 0xa0, 0xbf),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(hostile, fc.nat(60), (values, limit) => {
        const bytes = Uint8Array.from(values);
        const head = cutHead(bytes, limit);
        expect(encode(head.text).length).toBeLessThanOrEqual(limit);
        expect(head.text).toBe(decodeAll(bytes.subarray(0, head.bytes)));
        expect(decodeAll(bytes).startsWith(head.text)).toBe(true);
        const tail = cutTail(bytes, limit);
        expect(encode(tail.text).length).toBeLessThanOrEqual(limit);
        expect(tail.text).toBe(decodeAll(bytes.subarray(bytes.length - tail.bytes)));
        expect(decodeAll(bytes).endsWith(tail.text)).toBe(true);
        const whole = encode(decodeAll(bytes)).length;
        expect(cutHead(bytes, whole)).toMatchObject({
          text: decodeAll(bytes),
          bytes: bytes.length,
        });
      }),
      { numRuns: 2000 },
    );
  });
});

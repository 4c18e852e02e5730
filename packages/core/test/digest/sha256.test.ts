import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as native from '../../src/digest/sha256-node.ts';
import * as portable from '../../src/digest/sha256-portable.ts';
import { createSha256, measureText, sha256Hex } from '../../src/digest/sha256.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const reference = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex');

describe.each([
  ['node', native],
  ['portable', portable],
])('the %s implementation', (_name, implementation) => {
  it('gives the test vectors of FIPS 180-4', () => {
    expect(implementation.sha256OfBytes(utf8(''))).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    expect(implementation.sha256OfBytes(utf8('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(
      implementation.sha256OfBytes(
        utf8('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'),
      ),
    ).toBe('248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1');
    expect(implementation.sha256OfBytes(utf8('a'.repeat(1_000_000)))).toBe(
      'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
    );
  });

  it('hashes and measures a text as its UTF-8, a lone surrogate as U+FFFD', () => {
    for (const text of ['', 'é中😀', 'a\ud83d', '\ude00\ud83d', '😀'.repeat(1000)]) {
      const bytes = utf8(text);
      expect(implementation.sha256OfText(text)).toBe(reference(bytes));
      expect(implementation.utf8Length(text)).toBe(bytes.length);
    }
  });

  it('agrees with the reference for every length around the block size, fed in any chunks', () => {
    for (let length = 0; length <= 200; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255);
      expect(implementation.sha256OfBytes(bytes)).toBe(reference(bytes));
    }
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 150 }), { maxLength: 8 }), (chunks) => {
        const hasher = implementation.createSha256();
        for (const chunk of chunks) {
          const reused = Uint8Array.from(chunk);
          hasher.update(reused);
          reused.fill(0);
        }
        expect(hasher.digestHex()).toBe(reference(Buffer.concat(chunks)));
      }),
    );
  });
});

describe('sha256Hex', () => {
  it('hashes a text as its UTF-8, whatever its length', () => {
    for (const text of ['', 'é中😀', '😀'.repeat(40_000), `x${'😀'.repeat(70_000)}`]) {
      expect(sha256Hex(text)).toBe(reference(text));
    }
  });

  it('counts a lone surrogate as U+FFFD', () => {
    expect(sha256Hex('a\ud83d')).toBe(reference('a\ufffd'));
    expect(sha256Hex(`${'a'.repeat(65_535)}\ud83d${'b'.repeat(70_000)}`)).toBe(
      reference(`${'a'.repeat(65_535)}\ufffd${'b'.repeat(70_000)}`),
    );
  });

  it('runs on the native implementation in Node', () => {
    expect(createSha256).toBe(native.createSha256);
  });
});

it('measures and hashes a text in one go, whatever was measured before, short or long', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 60 })), (texts) => {
      for (const text of [...texts, '\ud83d', 'x'.repeat(10_922), 'é'.repeat(10_923)]) {
        expect(measureText(text)).toEqual({
          bytes: utf8(text).length,
          sha256: reference(utf8(text)),
        });
      }
    }),
    { numRuns: 50 },
  );
});

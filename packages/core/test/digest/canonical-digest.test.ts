import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { canonicalDigest, isDigest } from '../../src/digest/canonical-digest.ts';
import { isSha256Hex, toHex } from '../../src/digest/hex.ts';

it('separates the domain from compact JSON in the order of the keys by one zero byte', () => {
  const bytes = Buffer.concat([
    Buffer.from('a.domain.v1'),
    Buffer.from([0]),
    Buffer.from('{"z":1,"a":["é"]}'),
  ]);
  expect(canonicalDigest('a.domain.v1', { z: 1, a: ['é'] })).toBe(
    `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  );
});

it('gives another digest for another domain, order or value', () => {
  const digests = [
    canonicalDigest('one', { a: 1, b: 2 }),
    canonicalDigest('two', { a: 1, b: 2 }),
    canonicalDigest('one', { b: 2, a: 1 }),
    canonicalDigest('one', { a: 1, b: 3 }),
  ];
  expect(new Set(digests).size).toBe(4);
});

it('knows the one canonical spelling of a digest', () => {
  const hex = 'a0'.repeat(32);
  expect(isSha256Hex(hex)).toBe(true);
  expect(isDigest(`sha256:${hex}`)).toBe(true);
  const wrong = [
    hex,
    `sha256:${hex.toUpperCase()}`,
    `sha256:${hex}0`,
    `sha256:${hex}\n`,
    `sha512:${hex}`,
    7,
  ];
  expect(wrong.map(isDigest)).toEqual(wrong.map(() => false));
});

it('writes bytes as two lowercase digits each', () => {
  expect(toHex(Uint8Array.of(0, 1, 0x7f, 0x80, 0xff))).toBe('00017f80ff');
});

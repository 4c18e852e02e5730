import { expect, test } from 'vitest';
import { sniffMediaType } from '../../src/index.ts';

test.each([
  ['89504e470d0a1a0a', 'image/png', 'image'],
  ['ffd8ffe0', 'image/jpeg', 'image'],
  ['474946383961', 'image/gif', 'image'],
  ['52494646000000005745425056503820', 'image/webp', 'image'],
  ['255044462d312e37', 'application/pdf', 'pdf'],
  ['1f8b0800', 'application/gzip', 'other'],
  ['504b0304', 'application/zip', 'other'],
  ['7f454c46', 'application/x-elf', 'other'],
  [`${'00'.repeat(257)}7573746172`, 'application/x-tar', 'other'],
])('%s is %s', (hex, type, kind) => {
  expect(sniffMediaType(Buffer.from(hex, 'hex'))).toEqual({ type, kind });
});

test.each(['', 'plain text', '{"a":1}'])('%j is none of them', (text) => {
  expect(sniffMediaType(Buffer.from(text))).toBeUndefined();
});

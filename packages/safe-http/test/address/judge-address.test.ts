import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeAddress } from '../../src/address/judge-address.ts';
import { parseAddress } from '../../src/address/parse-address.ts';
import { IPV4_BLOCKS, IPV6_BLOCKS } from '../../src/address/special-purpose-blocks.ts';

const isPublic = (text: string): boolean => judgeAddress(text).isPublic;

function toNumber(text: string): bigint {
  return (parseAddress(text)?.bytes ?? new Uint8Array()).reduce(
    (sum, byte) => sum * 256n + BigInt(byte),
    0n,
  );
}

function toText(value: bigint, family: 4 | 6): string {
  if (family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  }
  return Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16),
  ).join(':');
}

function edges(prefix: string): { first: bigint; last: bigint; family: 4 | 6 } {
  const [lowest = '', length = ''] = prefix.split('/');
  const family = lowest.includes(':') ? 6 : 4;
  const first = toNumber(lowest);
  const size = 1n << BigInt((family === 4 ? 32 : 128) - Number(length));
  return { first, last: first + size - 1n, family };
}

/** What lies one address outside of a block: public, unless another rule holds there. */
const OUTSIDE: Readonly<Record<string, readonly [below: boolean, above: boolean]>> = {
  '0.0.0.0/8': [false, true],
  '10.0.0.0/8': [true, true],
  '100.64.0.0/10': [true, true],
  '127.0.0.0/8': [true, true],
  '168.63.129.16/32': [true, true],
  '169.254.0.0/16': [true, true],
  '172.16.0.0/12': [true, true],
  '192.0.0.0/24': [true, true],
  '192.0.2.0/24': [true, true],
  '192.88.99.0/24': [true, true],
  '192.168.0.0/16': [true, true],
  '198.18.0.0/15': [true, true],
  '198.51.100.0/24': [true, true],
  '203.0.113.0/24': [true, true],
  '224.0.0.0/4': [true, false],
  '240.0.0.0/4': [false, false],
  '::/128': [false, false],
  '::1/128': [false, false],
  '64:ff9b:1::/48': [false, false],
  '100::/64': [false, false],
  '100:0:0:1::/64': [false, false],
  '2001::/32': [true, false],
  '2001:2::/48': [false, false],
  '2001:10::/28': [false, false],
  '2001:20::/28': [false, false],
  '2001:30::/28': [false, false],
  '2001::/23': [true, true],
  '2001:db8::/32': [true, true],
  '2002::/16': [true, true],
  '3fff::/20': [true, true],
  '5f00::/16': [false, false],
  'fc00::/7': [false, false],
  'fe80::/10': [false, false],
  'fec0::/10': [false, false],
  'ff00::/8': [false, false],
};

describe('each block at both edges', () => {
  test.each([...IPV4_BLOCKS, ...IPV6_BLOCKS])('$prefix', ({ prefix }) => {
    const { first, last, family } = edges(prefix);
    expect(isPublic(toText(first, family))).toBe(false);
    expect(isPublic(toText(last, family))).toBe(false);
    const space = 1n << (family === 4 ? 32n : 128n);
    const below = first === 0n ? false : isPublic(toText(first - 1n, family));
    const above = last === space - 1n ? false : isPublic(toText(last + 1n, family));
    expect([below, above]).toEqual(OUTSIDE[prefix]);
  });

  test('global unicast at both edges', () => {
    expect(isPublic('1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')).toBe(false);
    expect(isPublic('2000::')).toBe(true);
    expect(isPublic('3fff:1000::')).toBe(true);
    expect(isPublic('3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')).toBe(true);
    expect(isPublic('4000::')).toBe(false);
  });
});

test('SSRF-003', () => {
  expect(['::', '0.0.0.0', '0.1.2.3'].map(isPublic)).toEqual([false, false, false]);
});

test('SSRF-005', () => {
  const inputs = [
    '2002:a9fe:a9fe::',
    '2002:0808:0808::',
    '2001:0:0:0:0:0:5601:5601',
    'fe80::5efe:a00:1',
    '2606:4700::5efe:7f00:1',
    '::7f00:1',
    '::a9fe:a9fe',
  ];
  expect(inputs.filter(isPublic)).toEqual([]);
});

test('SSRF-006', () => {
  const inputs: readonly [string, boolean][] = [
    ['100.64.0.0', false],
    ['100.127.255.255', false],
    ['100.63.255.255', true],
    ['100.128.0.0', true],
    ['172.15.255.255', true],
    ['172.16.0.0', false],
    ['172.31.255.255', false],
    ['172.32.0.0', true],
    ['169.254.0.1', false],
    ['192.0.0.1', false],
    ['192.0.2.1', false],
    ['198.18.0.1', false],
    ['198.19.255.255', false],
    ['198.51.100.1', false],
    ['203.0.113.1', false],
    ['224.0.0.1', false],
    ['240.0.0.1', false],
    ['255.255.255.255', false],
  ];
  expect(inputs.map(([address]) => [address, isPublic(address)])).toEqual(inputs);
});

test('SSRF-007: addresses', () => {
  const inputs = [
    'fe80::1',
    'fe9f::1',
    'febf::1',
    'fec0::1',
    'fc00::1',
    'fdff::1',
    'ff02::1',
    'fe80::1%eth0',
  ];
  expect(inputs.filter(isPublic)).toEqual([]);
});

test('an address inside another is judged by the inner one', () => {
  const spellings: readonly ((v4: string) => string)[] = [
    (v4) => `::ffff:${v4}`,
    (v4) => `64:ff9b::${v4}`,
    (v4) => `2606:4700::5efe:${v4}`,
    (v4) => `2606:4700::200:5efe:${v4}`,
  ];
  for (const spell of spellings) {
    expect(isPublic(spell('8.8.8.8'))).toBe(true);
    for (const inner of [
      '10.0.0.1',
      '127.0.0.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '255.255.255.255',
    ]) {
      expect([spell(inner), isPublic(spell(inner))]).toEqual([spell(inner), false]);
    }
  }
});

test('text that is no address is refused', () => {
  const inputs = [
    '',
    'example.com',
    '127.1',
    '0x7f000001',
    '017700000001',
    '1.2.3.4 ',
    '1.2.3.4.',
    '[::1]',
    '::1%1',
    '1.2.3.256',
  ];
  expect(inputs.filter(isPublic)).toEqual([]);
});

test('a mapped address is the IPv4 address a socket reaches', () => {
  expect(parseAddress('::ffff:7f00:1')).toEqual(parseAddress('127.0.0.1'));
  expect(parseAddress('::FFFF:93.184.216.34')?.text).toBe('93.184.216.34');
  expect(parseAddress('2606:4700::1111')?.text).toBe('2606:4700:0:0:0:0:0:1111');
});

test('property: every spelling of an IPv6 address is judged alike', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (value) => {
      const full = toText(value, 6);
      const short = new URL(`http://[${full}]/`).hostname.slice(1, -1);
      expect(judgeAddress(short)).toEqual(judgeAddress(full));
      expect(judgeAddress(full.toUpperCase())).toEqual(judgeAddress(full));
    }),
  );
});

test('property: an IPv4 address is public exactly when no block holds it', () => {
  const blocks = IPV4_BLOCKS.map(({ prefix }) => edges(prefix));
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }), (value) => {
      const inside = blocks.some(({ first, last }) => value >= first && value <= last);
      expect(isPublic(toText(value, 4))).toBe(!inside);
    }),
    { numRuns: 1000 },
  );
});

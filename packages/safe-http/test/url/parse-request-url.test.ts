import { describe, expect, test } from 'vitest';
import { judgeAddress } from '../../src/address/judge-address.ts';
import {
  bareHost,
  MAX_URL_LENGTH,
  parseRequestUrl,
  portOf,
} from '../../src/url/parse-request-url.ts';

const refusalOf = (text: string): string | undefined => {
  const parsed = parseRequestUrl(text);
  return parsed.ok ? undefined : parsed.refusal;
};

const hostOf = (text: string): string | undefined => {
  const parsed = parseRequestUrl(text);
  return parsed.ok ? bareHost(parsed.url) : undefined;
};

test('SSRF-013: schemes and ports', () => {
  const refused: readonly [string, string][] = [
    ['file:///etc/passwd', 'scheme'],
    ['ftp://h/', 'scheme'],
    ['gopher://h/', 'scheme'],
    ['data:text/html,x', 'scheme'],
    ['blob:https://h/1', 'scheme'],
    ['javascript:1', 'scheme'],
    ['//example.com/', 'invalid_url'],
    ['http://example.com:22/', 'port'],
    ['http://example.com:0/', 'port'],
    ['http://example.com:65536/', 'invalid_url'],
  ];
  expect(refused.map(([text]) => [text, refusalOf(text)])).toEqual(refused);
  for (const text of ['http:/127.0.0.1/', 'http:127.0.0.1']) {
    expect(judgeAddress(hostOf(text) ?? 'refused').isPublic).toBe(false);
  }
  expect(hostOf(' http://example.com/ ')).toBe('example.com');
});

test('SSRF-015: spellings on which parsers disagree', () => {
  const inputs: readonly [string, string | undefined, string | undefined][] = [
    ['http://127.0.0.1:8080\\@1.1.1.1/', 'invalid_url', undefined],
    ['http://example.com\\@127.0.0.1:8080/', 'invalid_url', undefined],
    ['http://example.com#@127.0.0.1:8080/', undefined, 'example.com'],
    ['http://example.com:443@127.0.0.1:8080/', 'userinfo', undefined],
    ['http://example.com%20@127.0.0.1:8080/', 'userinfo', undefined],
    ['http://127.0.0.1\t:8080/', 'invalid_url', undefined],
    ['http://exa\nmple.com/', 'invalid_url', undefined],
  ];
  expect(inputs.map(([text]) => [text, refusalOf(text), hostOf(text)])).toEqual(inputs);
});

test('SSRF-007: a zone identifier is no URL', () => {
  expect(refusalOf('http://[fe80::1%25eth0]/')).toBe('invalid_url');
});

describe('names of this machine', () => {
  test.each([
    'http://localhost/',
    'http://LOCALHOST:8080/',
    'http://localhost./',
    'http://localhost../',
    'http://a.localhost/',
    'http://a.b.localhost./',
    'http://%6cocalhost/',
    'http://ⓛocalhost/',
    'http://localhost.localdomain/',
    'http://ip6-localhost/',
  ])('%s', (text) => {
    expect(refusalOf(text)).toBe('local_name');
  });

  test('names that only look alike pass', () => {
    expect(refusalOf('http://localhost.example.com/')).toBeUndefined();
    expect(refusalOf('http://mylocalhost/')).toBeUndefined();
  });
});

test('fragments go, queries stay', () => {
  const parsed = parseRequestUrl('https://Example.COM:443/a%20b?q=\\x#frag');
  expect(parsed.ok && parsed.url.href).toBe('https://example.com/a%20b?q=\\x');
  expect(parsed.ok && portOf(parsed.url)).toBe(443);
});

test('a redirect is read relative to its base and checked alike', () => {
  const base = new URL('https://example.com/a/b?c');
  const read = (text: string): string => {
    const parsed = parseRequestUrl(text, base);
    return parsed.ok ? parsed.url.href : parsed.refusal;
  };
  expect(read('../x')).toBe('https://example.com/x');
  expect(read('//other.example/y')).toBe('https://other.example/y');
  expect(read('//user:pw@other.example/')).toBe('userinfo');
  expect(read('/\\evil.example/')).toBe('invalid_url');
  expect(read('file:///etc/hostname')).toBe('scheme');
  expect(read('')).toBe('invalid_url');
});

test('the length is bounded', () => {
  const stem = 'http://example.com/';
  expect(refusalOf(stem + 'a'.repeat(MAX_URL_LENGTH - stem.length))).toBeUndefined();
  expect(refusalOf(stem + 'a'.repeat(MAX_URL_LENGTH - stem.length + 1))).toBe('invalid_url');
});

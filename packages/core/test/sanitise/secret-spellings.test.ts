import { describe, expect, it } from 'vitest';
import { secretSpellings } from '../../src/sanitise/secret-spellings.ts';

describe('the spellings of a secret', () => {
  it('of letters and digits are itself and base64 at three offsets', () => {
    const secret = 'hunter2pass';
    const spellings = secretSpellings(secret);
    expect(spellings).toContain(secret);
    for (const before of ['', 'x', 'xy', 'xyz', 'user:']) {
      for (const after of ['', '1', '12']) {
        const encoded = Buffer.from(before + secret + after).toString('base64');
        expect(spellings.filter((spelling) => encoded.includes(spelling))).not.toEqual([]);
      }
    }
    expect(spellings).toContain(Buffer.from(secret).toString('base64'));
  });

  it.each([
    ['JSON', (secret: string) => JSON.stringify(secret).slice(1, -1)],
    ['JSON in JSON', (secret: string) => JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['a URI component', encodeURIComponent],
    ['a form', (secret: string) => new URLSearchParams([['k', secret]]).toString().slice(2)],
    ['a URI', encodeURI],
    ['lower-case percents', (secret: string) => encodeURIComponent(secret).toLowerCase()],
    ['base64', (secret: string) => Buffer.from(secret).toString('base64')],
    ['base64url', (secret: string) => Buffer.from(secret).toString('base64url')],
  ])('include that in %s', (_name, encode) => {
    const secret = 'pa"ss\\w/o?r>d é€\n~(\u0001)';
    expect(secretSpellings(secret)).toContain(encode(secret));
  });

  it('include the ASCII form of JSON in either case', () => {
    const spellings = secretSpellings('clé-secrète');
    expect(spellings).toContain(String.raw`cl\u00e9-secr\u00e8te`);
    expect(spellings).toContain(String.raw`cl\u00E9-secr\u00E8te`);
  });

  it('include the lines of a key but not what only names it', () => {
    const lines = ['MIIEvQIBADANBgkqhkiG9w0BAQEF', 'AASCBKcwggSjAgEAAoIBAQC7VJTU', 'short'];
    const key = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
    const spellings = secretSpellings(key);
    expect(spellings).toContain(key);
    expect(spellings).toContain(key.trim());
    expect(spellings).toContain(lines[0]);
    expect(spellings).toContain(lines[1]);
    expect(spellings).not.toContain('short');
    expect(spellings).not.toContain('-----BEGIN PRIVATE KEY-----');
  });

  it('are never shorter than a secret may be', () => {
    for (const secret of ['abcdef', '      ', 'abcde\n', 'é€é€é€']) {
      const shortest = Math.min(...secretSpellings(secret).map(({ length }) => length));
      expect(shortest).toBeGreaterThanOrEqual(6);
    }
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDispositionName } from '../../src/name/content-disposition.ts';
import { inferFileName } from '../../src/name/infer-file-name.ts';
import { MAX_NAME_BYTES, sanitiseFileName } from '../../src/name/sanitise-file-name.ts';

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('Content-Disposition', () => {
  test.each<[string, string | undefined]>([
    ['attachment; filename="report.pdf"', 'report.pdf'],
    ['attachment; filename=report.pdf', 'report.pdf'],
    ['attachment; filename=foo bar.txt', 'foo bar.txt'],
    ['ATTACHMENT; FILENAME="Report.PDF"', 'Report.PDF'],
    ['inline; filename="a;b.txt"', 'a;b.txt'],
    [String.raw`attachment; filename="a\"b.txt"`, 'a"b.txt'],
    [String.raw`attachment; filename="C:\dir\x.txt"`, String.raw`C:\dir\x.txt`],
    [String.raw`attachment; filename="a\\b.txt"`, String.raw`a\b.txt`],
    ["attachment; filename*=UTF-8''na%C3%AFve.txt", 'naïve.txt'],
    ['attachment; filename="plain.txt"; filename*=UTF-8\'\'%e2%82%ac.txt', '€.txt'],
    ['attachment; filename*=UTF-8\'\'%e2%82%ac.txt; filename="plain.txt"', '€.txt'],
    ["attachment; filename*=utf-8'en'x.txt", 'x.txt'],
    ["attachment; filename*=US-ASCII''x.txt", 'x.txt'],
    ["attachment; filename*=''x.txt", 'x.txt'],
    ["attachment; filename*=ISO-8859-1''%e4.txt", 'ä.txt'],
    ['attachment; filename*=KOI8-R\'\'%c1.txt; filename="fallback.txt"', 'fallback.txt'],
    ['attachment; filename*=UTF-8\'\'%ff%fe; filename="fallback.txt"', 'fallback.txt'],
    ['attachment; filename*=UTF-8\'\'%zz; filename="fallback.txt"', 'fallback.txt'],
    ['attachment; filename*=broken; filename="fallback.txt"', 'fallback.txt'],
    ['attachment; filename=""; filename="second.txt"', 'second.txt'],
    ['attachment; filename="unclosed.txt', 'unclosed.txt'],
    ['attachment; ; =x; name; filename="ok.txt"', 'ok.txt'],
    [latin1('attachment; filename="日本.txt"'), '日本.txt'],
    ['attachment; filename="\u00e4.txt"', 'ä.txt'],
    ['filename="no-type.txt"', 'no-type.txt'],
    ['attachment', undefined],
    ['attachment; filename=', undefined],
    ['attachment; filename="  "', undefined],
    ['', undefined],
  ])('%s', (header, name) => {
    expect(parseDispositionName(header)).toBe(name);
  });
});

describe('sanitising', () => {
  test.each([
    ['../../etc/passwd', 'passwd'],
    [String.raw`..\..\evil.exe`, 'evil.exe'],
    ['/etc/', 'download.bin'],
    ['a<b>c:d"e|f?g*h.txt', 'a_b_c_d_e_f_g_h.txt'],
    ['a\u0000b\nc\u007fd.txt', 'a_b_c_d.txt'],
    ['safe\u202Etxt.exe', 'safe_txt.exe'],
    ['bad\uD800surrogate', 'bad_surrogate'],
    ['  name.txt. . ', 'name.txt'],
    ['...', 'download.bin'],
    ['.', 'download.bin'],
    ['..', 'download.bin'],
    ['', 'download.bin'],
    ['.hidden', '.hidden'],
    ['CON', '_CON'],
    ['con.txt', '_con.txt'],
    ['nul .txt', '_nul .txt'],
    ['COM1.tar.gz', '_COM1.tar.gz'],
    ['LPT9', '_LPT9'],
    ['COM0', 'COM0'],
    ['CONsole.txt', 'CONsole.txt'],
    ['ünïcödé 日本.txt', 'ünïcödé 日本.txt'],
  ])('%j', (name, expected) => {
    expect(sanitiseFileName(name)).toBe(expected);
  });

  test('a long name is cut between characters and keeps its extension', () => {
    const long = sanitiseFileName(`${'日'.repeat(200)}.tar.gz`);
    expect(long).toBe(`${'日'.repeat(79)}.gz`);
    expect(sanitiseFileName(`${'a'.repeat(300)}.${'e'.repeat(130)}`)).toBe('a'.repeat(240));
    expect(sanitiseFileName(`x.${'e'.repeat(300)}`)).toBe(`x.${'e'.repeat(238)}`);
  });

  test('property: the result is always one safe name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
        const safe = sanitiseFileName(name);
        expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(MAX_NAME_BYTES + 1);
        expect(safe).not.toMatch(/[/\\\p{Cc}\p{Cs}<>:"|?*]/u);
        expect(['', '.', '..']).not.toContain(safe);
        expect(safe).not.toMatch(/[. ]$/u);
        expect(sanitiseFileName(safe)).toBe(safe);
      }),
    );
  });
});

describe('where the name comes from', () => {
  const infer = (url: string, contentDisposition?: string): string =>
    inferFileName({ contentDisposition, urls: [url] });

  test.each([
    ['https://h.test/a/b.zip', 'b.zip'],
    ['https://h.test/a/b.zip?x=1', 'b.zip'],
    ['https://h.test/a/b/', 'b'],
    ['https://h.test/a%20b%2Fc.txt', 'c.txt'],
    ['https://h.test/%E6%97%A5.txt', '日.txt'],
    ['https://h.test/bad%FF.txt', 'bad%FF.txt'],
    ['https://h.test/get?file=r.csv', 'r.csv'],
    ['https://h.test/get?file=&filename=r.csv', 'r.csv'],
    ['https://h.test/get?file=%20&file=..%2F..%2Fr.csv', 'r.csv'],
    ['https://h.test/', 'download.bin'],
    ['https://h.test/..', 'download.bin'],
    ['https://h.test/%2e%2e%2f', 'download.bin'],
  ])('%s', (url, name) => {
    expect(infer(url)).toBe(name);
  });

  test('the header wins, the answering URL comes before the first', () => {
    expect(infer('https://h.test/a.zip?file=b.zip', 'attachment; filename="c.zip"')).toBe('c.zip');
    expect(
      inferFileName({
        contentDisposition: undefined,
        urls: ['https://cdn.test/real.zip', 'https://h.test/get'],
      }),
    ).toBe('real.zip');
    expect(
      inferFileName({
        contentDisposition: undefined,
        urls: ['https://cdn.test/', 'https://h.test/get.zip'],
      }),
    ).toBe('get.zip');
  });
});

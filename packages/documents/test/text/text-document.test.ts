import * as fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decodeDocument } from '../../src/index.ts';
import type { Encoding } from '../../src/index.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** Characters that each encoding has, so that random texts can be written in it. */
const ALPHABETS: readonly (readonly [Encoding, string])[] = [
  ['utf-8', 'aZ 0é中😀\u0301\uFFFD'],
  ['utf-16le', 'aZ 0é中😀\u0301'],
  ['utf-16be', 'aZ 0é中😀\u0301'],
  ['gb18030', 'aZ|\\é中文数据😀〜'],
  ['shift_jis', 'aZ|\\表示ソ能ｱあ'],
  ['euc-kr', 'aZ|\\한글값'],
  ['big5', 'aZ|\\功許蓋中'],
  ['euc-jp', 'aZ|\\表示あ能'],
  ['windows-1251', 'aZ|\\привет№'],
  ['windows-1252', 'aZ|\\éß€“'],
];

describe('splice', () => {
  test.each(ALPHABETS)(
    'in %s keeps every byte outside of the replaced part',
    async (encoding, alphabet) => {
      const character = fc.constantFrom(...Array.from(alphabet), '\n', '\r\n');
      const text = fc.array(character, { maxLength: 60 }).map((parts) => parts.join(''));
      await fc.assert(
        fc.asyncProperty(text, text, text, text, async (...[before, old, after, replacement]) => {
          const encode = (part: string): Buffer => iconv.encode(part, encoding, { addBOM: false });
          const source = Buffer.concat([encode(before), encode(old), encode(after)]);
          const document = await decodeDocument(source, {
            encoding,
            bomLength: 0,
            source: 'declaration',
            lossy: false,
          });
          expect(document.text).toBe(before + old + after);
          const start = before.length;
          const changed = document.splice([{ start, end: start + old.length, replacement }]);
          const expected = Buffer.concat([encode(before), encode(replacement), encode(after)]);
          expect(hex(changed)).toBe(hex(expected));
        }),
        { numRuns: 60 },
      );
    },
  );

  test('keeps ill-formed bytes of UTF-8 on both sides', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 40 }),
        fc.uint8Array({ maxLength: 40 }),
        async (before, after) => {
          const source = Buffer.concat([before, Buffer.from('\nMARK\n'), after]);
          const document = await decodeDocument(source, {
            encoding: 'utf-8',
            bomLength: 0,
            source: 'utf-8',
            lossy: true,
          });
          const start = Buffer.from(before).toString('utf8').length + 1;
          const changed = document.splice([{ start, end: start + 4, replacement: 'é' }]);
          expect(hex(changed)).toBe(hex(Buffer.concat([before, Buffer.from('\né\n'), after])));
        },
      ),
    );
  });

  test('keeps ill-formed bytes of a legacy encoding in other lines', async () => {
    const source = bytes('81 0a 93 fa 20 61 0a ff 62');
    const document = await decodeDocument(source, {
      encoding: 'shift_jis',
      bomLength: 0,
      source: 'declaration',
      lossy: true,
    });
    const start = document.text.indexOf('a');
    expect(hex(document.splice([{ start, end: start + 1, replacement: '本' }]))).toBe(
      hex(bytes('81 0a 93 fa 20 96 7b 0a ff 62')),
    );
  });

  test('takes several splices and keeps the byte order mark', async () => {
    const document = await decodeDocument(Buffer.from('\uFEFFone\ntwo\nthree\n', 'utf16le'));
    const changed = document.splice([
      { start: 0, end: 3, replacement: '1' },
      { start: 8, end: 13, replacement: 'drei' },
    ]);
    expect(Buffer.from(changed).toString('utf16le')).toBe('\uFEFF1\ntwo\ndrei\n');
  });

  test('refuses splices that overlap', async () => {
    const document = await decodeDocument(Buffer.from('abc'));
    expect(() =>
      document.splice([
        { start: 0, end: 2, replacement: '' },
        { start: 1, end: 3, replacement: '' },
      ]),
    ).toThrow(TypeError);
  });
});

describe('what cannot be encoded is refused', () => {
  test.each([
    ['gbk', 'c4e3bac3', '😀', 'U+1F600 "😀" at position 0'],
    ['windows-1252', 'e9', 'a→', 'U+2192 "→" at position 1'],
    ['shift_jis', '93fa', '한', 'U+D55C'],
    ['utf-8', '61', 'x\uD83D', 'U+D83D at position 1'],
    ['utf-16le', '6100', '\uDC00', 'U+DC00'],
  ] as const)('%s', async (...[encoding, source, replacement, message]) => {
    const document = await decodeDocument(bytes(source), {
      encoding,
      bomLength: 0,
      source: 'declaration',
      lossy: false,
    });
    expect(() => document.splice([{ start: 0, end: 1, replacement }])).toThrow(
      expect.objectContaining({ code: 'unencodable', message: expect.stringContaining(message) }),
    );
  });

  test('a literal question mark is no loss', async () => {
    const document = await decodeDocument(bytes('e9'), {
      encoding: 'windows-1252',
      bomLength: 0,
      source: 'statistics',
      lossy: false,
    });
    expect(hex(document.splice([{ start: 0, end: 1, replacement: '?' }]))).toBe('3f');
  });
});

test.each([
  ['a\nb\n', 'lf'],
  ['a\r\nb\r\n', 'crlf'],
  ['a\r\nb\n', 'mixed'],
  ['a\rb', 'none'],
  ['\n', 'lf'],
  ['\r\n', 'crlf'],
])('line endings of %j are %s', async (text, expected) => {
  expect((await decodeDocument(Buffer.from(text))).lineEndings).toBe(expected);
});

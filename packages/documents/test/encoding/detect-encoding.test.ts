import * as fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decodeDocument, detectEncoding, EncodingSampler } from '../../src/index.ts';

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');

describe('marks', () => {
  test.each([
    ['ef bb bf 61', 'utf-8', 3],
    ['ff fe 61 00', 'utf-16le', 2],
    ['fe ff 00 61', 'utf-16be', 2],
    ['84 31 95 33 61', 'gb18030', 4],
  ])('%s is %s', async (hex, encoding, bomLength) => {
    expect(await detectEncoding(bytes(hex))).toEqual({
      encoding,
      bomLength,
      source: 'bom',
      lossy: false,
    });
    expect((await decodeDocument(bytes(hex))).text).toBe('a');
  });

  test.each(['ff fe 00 00 61 00 00 00', '00 00 fe ff 00 00 00 61'])(
    'UTF-32 %s is unsupported',
    async (hex) => {
      await expect(detectEncoding(bytes(hex))).rejects.toMatchObject({
        name: 'DocumentError',
        code: 'unsupported_encoding',
      });
    },
  );

  test('UTF-32 without a mark is unsupported too', async () => {
    const text = Buffer.concat(
      Array.from('hello', (char) => Buffer.from([char.charCodeAt(0), 0, 0, 0])),
    );
    await expect(detectEncoding(text)).rejects.toMatchObject({ code: 'unsupported_encoding' });
  });
});

describe('UTF-8 and binary', () => {
  test('READ-003: a literal U+FFFD does not make a file binary', async () => {
    const source = 'let c = "\uFFFD"; // 中文 😀\n';
    expect(await decodeDocument(utf8(source))).toMatchObject({
      text: source,
      encoding: 'utf-8',
      lossy: false,
    });
    const binary = Buffer.concat(
      Array.from({ length: 100 }, () => bytes('80 81 82 ff fe 00 01 02')),
    );
    await expect(detectEncoding(binary)).rejects.toMatchObject({ code: 'binary' });
  });

  test('READ-004: one stray byte in ASCII is no proof of a legacy encoding', async () => {
    const text = Buffer.from('0123456789abcdef\n'.repeat(600), 'latin1');
    text[2 * 17 + 5] = 0x92;
    const document = await decodeDocument(text);
    expect(document).toMatchObject({ encoding: 'utf-8', lossy: true });
    expect(document.text.split('\n')[2]).toBe('01234\uFFFD6789abcdef');
    expect(document.text.split('\uFFFD')).toHaveLength(2);
  });

  test('a few broken sequences in UTF-8 text leave it UTF-8', async () => {
    const text = Buffer.concat([
      utf8('тест — проверка\n'.repeat(20)),
      bytes('d0 0a'),
      utf8('конец\n'),
    ]);
    expect(await detectEncoding(text)).toMatchObject({ encoding: 'utf-8', lossy: true });
  });

  test('an empty file is UTF-8 text', async () => {
    expect(await decodeDocument(new Uint8Array())).toMatchObject({
      text: '',
      encoding: 'utf-8',
      bom: false,
      lineEndings: 'none',
    });
  });

  test('a NUL makes a file binary, control characters do not', async () => {
    await expect(detectEncoding(utf8('a\u0000b'))).rejects.toMatchObject({ code: 'binary' });
    expect(await detectEncoding(utf8('\u001b[31mred\u001b[0m\u0001\n'))).toMatchObject({
      encoding: 'utf-8',
    });
  });

  test('dense control bytes that are no UTF-8 are binary without a NUL', async () => {
    const noise = Uint8Array.from({ length: 4096 }, (_, index) => ((index * 167) % 255) + 1);
    await expect(detectEncoding(noise)).rejects.toMatchObject({ code: 'binary' });
  });
});

describe('UTF-16 without a mark', () => {
  test.each(['utf-16le', 'utf-16be'] as const)('%s', async (encoding) => {
    const source = 'int main() { return 0; } // 一 é\r\n';
    const encoded = iconv.encode(source, encoding, { addBOM: false });
    expect(await decodeDocument(encoded)).toMatchObject({ text: source, encoding, bom: false });
  });
});

test.each(['a\0b\n', 'a\0b\0c\n', './a\0./b\0', '\0a\nb', 'x=1\0yy=2\0'])(
  'ASCII with NULs between is binary, not UTF-16: %j',
  async (source) => {
    await expect(detectEncoding(utf8(source))).rejects.toMatchObject({ code: 'binary' });
  },
);

describe('declarations', () => {
  test.each([
    ['<?xml version="1.0" encoding="ISO-8859-2"?><a>ž</a>', 'iso-8859-2'],
    ['<html><head><meta charset="shift_jis"><title>あ', 'shift_jis'],
    ['<meta http-equiv="Content-Type" content="text/html; charset=euc-kr">가', 'euc-kr'],
    ['@charset "windows-1251";\n/* я */', 'windows-1251'],
    ['#!/usr/bin/python\n# -*- coding: euc-jp -*-\nx = "あ"', 'euc-jp'],
    ['# vim: set fileencoding=cp1251 :\n# я', 'windows-1251'],
    ['<meta charset="latin1">é', 'windows-1252'],
  ])('%s', async (source, encoding) => {
    const detected = await detectEncoding(iconv.encode(source, encoding));
    expect(detected).toMatchObject({ encoding, source: 'declaration', lossy: false });
  });

  test('a declaration that the bytes contradict is ignored', async () => {
    expect(await detectEncoding(utf8('<meta charset="gbk">中文 é'))).toMatchObject({
      encoding: 'utf-8',
    });
    expect(await detectEncoding(utf8('<?xml version="1.0" encoding="utf-16"?>'))).toMatchObject({
      encoding: 'utf-8',
    });
  });

  test('plain ASCII keeps the declared encoding for what will be added', async () => {
    expect(await detectEncoding(utf8('# coding: gbk\nx = 1\n'))).toMatchObject({ encoding: 'gbk' });
  });
});

const SAMPLES: readonly (readonly [encoding: string, text: string])[] = [
  ['gb18030', '你好\na\n'],
  ['gb18030', '中文'],
  ['gb18030', '函数返回值'],
  ['gb18030', '// 这是一个测试文件，包含中文注释。\nint main() { return 0; }\n'],
  ['gb18030', '欢迎使用本软件，请先阅读说明。'],
  ['shift_jis', '日本語\n'],
  ['shift_jis', 'これはテストです。\n'],
  ['shift_jis', '// 合計を計算する\nint main() {}\n'],
  ['shift_jis', '設定ファイルを読み込む'],
  ['shift_jis', 'ｱｲｳｴｵ テスト'],
  ['euc-kr', '안녕하세요\n'],
  ['euc-kr', '한글'],
  ['euc-kr', '이것은 테스트 파일입니다.\n// 합계를 계산한다\n'],
  ['euc-jp', '日本語\n'],
  ['euc-jp', '// 合計を計算する\nint main() {}\n'],
  ['big5', '你好\n'],
  ['big5', '這是一個測試檔案，包含中文註解。\n'],
  ['windows-1251', 'Привет, мир!\n'],
  ['windows-1251', '// Это комментарий к функции, которая считает сумму\n'],
  ['koi8-r', '// Это комментарий к функции, которая считает сумму\n'],
  ['windows-1252', 'café naïve\n'],
  ['windows-1252', 'Les élèves français étaient à l’école.\n'],
  ['windows-1252', 'Größe über Straße\n'],
  ['windows-1252', '“smart quotes” — dash\n'],
  ['windows-1252', '£5 and €6\n'],
  ['windows-1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy\n'],
  ['windows-1250', 'zażółć gęślą jaźń\n'],
  ['windows-1253', 'Καλημέρα κόσμε\n'],
  ['windows-1254', 'Türkçe karakterler: ğüşıöç İĞ\n'],
  ['windows-1255', 'שלום עולם\n'],
  ['windows-1256', 'مرحبا بالعالم\n'],
];

describe('statistics', () => {
  test.each(SAMPLES)('%s: %j', async (encoding, text) => {
    const document = await decodeDocument(iconv.encode(text, encoding));
    expect({ encoding: document.encoding, text: document.text, lossy: document.lossy }).toEqual({
      encoding,
      text,
      lossy: false,
    });
  });

  test('what no encoding explains stays UTF-8 with holes', async () => {
    const text = Buffer.concat([utf8('plain\n'), bytes('61 ff 81 fe 80 98 61 8f 0a')]);
    expect(await detectEncoding(text)).toMatchObject({ encoding: 'utf-8', lossy: true });
  });
});

test.each([
  ['ff fe 61 00', 'utf-16le'],
  ['00 61 00 0a', 'utf-16be'],
  ['61 0a', undefined],
  ['ef bb bf 61', undefined],
])('the first bytes %s tell of %s before the end', (hex, expected) => {
  const sampler = new EncodingSampler();
  sampler.push(bytes(hex));
  expect(sampler.wideEncoding()).toBe(expected);
});

test('the first bytes tell of binary content before the end', () => {
  const sampler = new EncodingSampler();
  sampler.push(bytes('61 00 01 02 03'));
  expect(() => sampler.wideEncoding()).toThrow(expect.objectContaining({ code: 'binary' }));
});

test('the verdict does not depend on how the bytes are cut into chunks', async () => {
  const texts = [
    utf8('ascii then 中文 😀 é\n'.repeat(5)),
    iconv.encode('Это комментарий\n'.repeat(4), 'windows-1251'),
    iconv.encode('// 这是一个测试文件\n'.repeat(4), 'gb18030'),
    bytes('ef bb bf 61 c3 a9'),
    bytes('61 92 62 0a'),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...texts),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 20 }),
      async (text, sizes) => {
        const sampler = new EncodingSampler();
        let at = 0;
        for (let turn = 0; at < text.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          sampler.push(text.subarray(at, at + size));
          at += size;
        }
        expect(await sampler.detect()).toEqual(await detectEncoding(text));
      },
    ),
    { numRuns: 60 },
  );
});

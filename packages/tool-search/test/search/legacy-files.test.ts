import { loadCodec, type Encoding } from '@toolwright/documents';
import { describe, expect, test } from 'vitest';
import { openSession } from './open-session.ts';

const encode = async (encoding: Encoding, text: string) => (await loadCodec(encoding)).encode(text);

const chinese =
  '这个文件是用旧的编码保存的。\n我们要在里面查找一些汉字，例如数据库和服务器。\n最后一行没有别的内容。\n';
const japanese =
  'このファイルは古い文字コードで保存されています。\nデータベースとサーバーの設定について説明します。\nおわり。\n';
const russian =
  'Этот файл сохранён в старой кодировке.\nМы ищем в нём слова: база данных и сервер.\nКонец.\n';
const french =
  'Ce fichier a été enregistré dans un ancien encodage.\nOn y cherche un élève, une forêt et un garçon déçu.\nFin.\n';

const tree = async () => ({
  'cn.txt': await encode('gb18030', chinese),
  'jp.txt': await encode('shift_jis', japanese),
  'ru.txt': await encode('windows-1251', russian),
  'fr.txt': await encode('windows-1252', french),
  'utf.txt': '数据库 и сервер\n',
});

describe('files in legacy encodings', () => {
  test.each([
    [
      '数据库',
      ['cn.txt:2: 我们要在里面查找一些汉字，例如数据库和服务器。', 'utf.txt:1: 数据库 и сервер'],
    ],
    ['データ.{0,3}ス', ['jp.txt:2: データベースとサーバーの設定について説明します。']],
    [
      '(?i)СЕРВЕР',
      ['ru.txt:2: Мы ищем в нём слова: база данных и сервер.', 'utf.txt:1: 数据库 и сервер'],
    ],
    ['gar\\u00e7on', ['fr.txt:2: On y cherche un élève, une forêt et un garçon déçu.']],
    ['garçon', ['fr.txt:2: On y cherche un élève, une forêt et un garçon déçu.']],
    ['\\p{Han}{3}', ['cn.txt:1: 这个文件是用旧的编码保存的。']],
    ['不存在', []],
  ])('%s is found as text', async (query, expected) => {
    await using opened = await openSession(await tree());
    const result = await opened.search({ mode: 'grep', query, limit: 50 });
    const rows = result.output.split('\n').filter((line) => line !== '' && !line.startsWith('['));
    expect(rows.slice(0, Math.max(expected.length, 1))).toEqual(expected);
    expect(result.metadata).toMatchObject({ search: { truncated: false, not_searched: [] } });
  });

  test('a pattern in ASCII shows the lines as text too, and counts them once', async () => {
    await using opened = await openSession(await tree());
    const result = await opened.search({ mode: 'grep', query: 'enregistr', context: 1 });
    expect(result.output).toBe(
      'fr.txt:1: Ce fichier a été enregistré dans un ancien encodage.\n' +
        'fr.txt-2- On y cherche un élève, une forêt et un garçon déçu.\n[1 matching line in 1 file]\n',
    );
    expect(result.structured).toMatchObject({ matches: [{ path: 'fr.txt', line: 1 }] });
  });

  test('the other output modes count them', async () => {
    await using opened = await openSession(await tree());
    const ask = async (outputMode: string) =>
      (await opened.search({ mode: 'grep', query: 'е|。', output_mode: outputMode })).output;
    expect(await ask('count')).toBe('cn.txt: 3\njp.txt: 3\nru.txt: 3\nutf.txt: 1\n');
    expect(await ask('files_with_matches')).toBe('cn.txt\njp.txt\nru.txt\nutf.txt\n');
    expect(await ask('summary')).toBe('10 matching lines in 4 files\n');
  });

  test('pages join to the whole, whichever files are decoded', async () => {
    const lines = (word: string) => Array.from({ length: 7 }, (_, i) => `${word} ${i}\n`).join('');
    await using opened = await openSession({
      a: lines('сервер'),
      b: await encode('windows-1251', russian + lines('сервер')),
      c: lines('сервер'),
      d: await encode('windows-1251', russian + lines('сервер')),
      e: lines('сервер'),
    });
    const ask = async (args: { limit: number; cursor?: string; context?: number }) =>
      opened.search({ mode: 'grep', query: 'сервер', ...args });
    const matchesOf = (structured: unknown): unknown[] =>
      typeof structured === 'object' && structured !== null && 'matches' in structured
        ? [structured.matches].flat()
        : [];
    const whole = await ask({ limit: 1000 });
    expect(matchesOf(whole.structured)).toHaveLength(37);
    for (const limit of [1, 3, 8, 13]) {
      const joined: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await ask({ limit, context: 1, ...(cursor === undefined ? {} : { cursor }) });
        joined.push(...matchesOf(page.structured));
        expect(page.metadata).toMatchObject({
          search: { matching_lines: 37, matching_files: 5 },
          page: { total_items: 37 },
        });
        const { page: told } = page.metadata;
        const next: unknown = Reflect.get(Object(told), 'next_cursor');
        cursor = typeof next === 'string' ? next : undefined;
      } while (cursor !== undefined && joined.length < 100);
      expect(joined).toEqual(matchesOf(whole.structured));
    }
  });

  test('UTF-8 with stray bytes stays UTF-8; what no encoding explains is told of', async () => {
    await using opened = await openSession({
      stray: Buffer.concat([
        Buffer.from('déjà vu '.repeat(50)),
        Buffer.from([0xff]),
        Buffer.from('\nété\n'),
      ]),
      noise: Buffer.from(Array.from({ length: 4000 }, (_, i) => 1 + ((i * i * 7919) % 255))),
    });
    const result = await opened.search({ mode: 'grep', query: 'été' });
    expect(result.output).toContain('stray:2: été\n');
    expect(result.output).not.toContain('noise:');
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost, memoryWorkspace, sha256Hex } from '@toolwright/core';
import type { JsonValue, ToolResult, Workspace } from '@toolwright/core';
import { loadCodec } from '@toolwright/documents';
import { localWorkspace } from '@toolwright/workspace-local';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fs } from '../../src/index.ts';
import { openFile, openProject } from '../open-project.ts';

const range = (result: ToolResult): Record<string, JsonValue> => ({
  ...(result.metadata['range'] as object),
});

describe('encodings', () => {
  test.each([
    ['gb18030', '// 这是一个测试文件，包含中文注释。\n'],
    ['shift_jis', '// 合計を計算する関数です。\n'],
    ['euc-kr', '// 이것은 테스트 파일입니다.\n'],
    ['windows-1251', '// Это комментарий к функции\n'],
    ['windows-1252', 'Les élèves français étaient à l’école.\n'],
    ['utf-16le', 'plain text\n'],
  ] as const)('%s is read, and edited in its own bytes', async (encoding, source) => {
    const codec = await loadCodec(encoding);
    const project = await openFile(codec.encode(source.repeat(3)));
    const read = await project.call('read', { file_path: 'f' });
    expect(read.metadata).toMatchObject({ encoding, eol: 'lf', bom: false });
    expect(read.output.split('\n')[0]).toBe(`     1\t${source.trimEnd()}`);
    const word = source.slice(3, 6);
    const edit = await project.call('edit', {
      file_path: 'f',
      old_string: `${source}${source}${source}`,
      new_string: `${source}${word}\n${source}`,
    });
    expect(edit.error).toBeNull();
    expect(await project.bytes('f')).toEqual(
      Buffer.from(codec.encode(`${source}${word}\n${source}`)),
    );
  });

  test('what an encoding does not have is refused and nothing is written', async () => {
    const codec = await loadCodec('shift_jis');
    const source = Buffer.from(codec.encode('設定ファイルを読み込む\n'));
    const project = await openFile(source);
    const result = await project.call('edit', {
      file_path: 'f',
      old_string: '設定',
      new_string: '설정',
    });
    expect(result.error).toMatchObject({ type: 'invalid_argument', reason: 'unencodable' });
    expect(result.error?.message).toContain('shift_jis');
    expect(await project.bytes('f')).toEqual(source);
  });

  test('UTF-32 is unsupported', async () => {
    const project = await openFile(Buffer.from('fffe000061000000', 'hex'));
    expect((await project.call('read', { file_path: 'f' })).error).toMatchObject({
      type: 'unsupported',
      reason: 'encoding',
    });
  });
});

test('metadata of a text', async () => {
  const project = await openFile('\uFEFFa\r\nb\n');
  const result = await project.call('read', { file_path: 'f' });
  expect(result.output).toBe('     1\ta\n     2\tb\n');
  expect(result.metadata).toMatchObject({
    file_path: 'f',
    sha256: sha256Hex(Buffer.from('\uFEFFa\r\nb\n')),
    encoding: 'utf-8',
    bom: true,
    eol: 'mixed',
    final_newline: true,
    source_anchors: ['f'],
    range: { offset: 0, returned_lines: 2, crlf_lines: [1], total_lines: 2, output_bytes: 18 },
  });
});

describe('windows', () => {
  const source = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`).join('');

  test('of the default size end at 2,000 lines and say how to go on', async () => {
    const project = await openFile(source);
    const first = await project.call('read', { file_path: 'f' });
    expect(range(first)).toMatchObject({
      returned_lines: 2_000,
      next_offset: 2_000,
      eof: false,
      total_lines: 5_000,
    });
    expect(first.metadata['status']).toBe('partial');
    expect(first.output.endsWith('[lines 1-2000 of 5000; read on with offset 2000]\n')).toBe(true);
  });

  test('go on by cursor as by offset', async () => {
    const project = await openFile(source);
    const first = await project.call('read', { file_path: 'f', limit: 10 });
    const byOffset = await project.call('read', { file_path: 'f', offset: 10, limit: 10 });
    const byCursor = await project.call('read', {
      file_path: 'f',
      cursor: range(first)['next_cursor'] ?? '',
      limit: 10,
    });
    expect(byCursor.output).toBe(byOffset.output);
    expect(range(byCursor)).toEqual(range(byOffset));
  });

  test('a limit out of range is clamped and reported', async () => {
    const project = await openFile(source);
    const result = await project.call('read', { file_path: 'f', limit: 9_999 });
    expect(range(result)).toMatchObject({ returned_lines: 2_000, limit_clamped: true });
    expect(result.metadata['clamped']).toEqual([{ path: '/limit', from: 9_999, to: 2_000 }]);
    for (const args of [{ limit: 0 }, { limit: -1 }, { offset: -1 }, { limit: 'many' }]) {
      const refused = await project.call('read', { file_path: 'f', ...args });
      expect(refused.error).toMatchObject({ type: 'invalid_argument' });
    }
  });

  test('a cursor is refused for another file, and after a change', async () => {
    const project = await openProject({ files: { f: source, g: source } });
    const cursor = range(await project.call('read', { file_path: 'f', limit: 1 }))['next_cursor'];
    const args = { cursor: cursor ?? '' };
    expect((await project.call('read', { file_path: 'g', ...args })).error).toMatchObject({
      type: 'invalid_argument',
      reason: 'bad_cursor',
    });
    for (const bad of ['x', '1.2', '1.2.3', 'zz.zzz.zzzzzzzzzzzz']) {
      const result = await project.call('read', { file_path: 'f', cursor: bad });
      expect(['invalid_argument', 'version_conflict']).toContain(result.error?.type);
    }
    await writeFile(join(project.root, 'f'), `new\n${source}`);
    expect((await project.call('read', { file_path: 'f', ...args })).error).toMatchObject({
      type: 'version_conflict',
      reason: 'changed_since_cursor',
    });
  });
});

test('the second window of a file reads only itself', async () => {
  const source = 'some line of text\n'.repeat(200_000);
  const base = memoryWorkspace({ files: { f: source } });
  let bytesRead = 0;
  const { files } = base;
  if (files === undefined) throw new Error('no files');
  const workspace: Workspace = {
    ...base,
    files: {
      stat: (path, options) => files.stat(path, options),
      list: (path, options) => files.list(path, options),
      openRead: async (path, options) => {
        const reader = await files.openRead(path, options);
        return {
          ...reader,
          read: async (start, length) => {
            const bytes = await reader.read(start, length);
            bytesRead += bytes.length;
            return bytes;
          },
        };
      },
    },
  };
  const session = await createHost({ providers: [fs()] }).open({ workspace });
  await session.tool('read', { file_path: 'f', limit: 5 });
  expect(bytesRead).toBeGreaterThanOrEqual(source.length);
  bytesRead = 0;
  const second = await session.tool('read', { file_path: 'f', offset: 150_000, limit: 5 });
  expect(second.output).toContain('150001\tsome line');
  expect(bytesRead).toBeLessThan(400_000);
  await session.close();
});

test('a file of /proc, which says that it is empty, is read whole', async () => {
  const workspace = localWorkspace('/proc/self');
  const session = await createHost({ providers: [fs()] }).open({ workspace });
  onTestFinished(() => session.close());
  const read = await session.tool('read', { file_path: 'status' });
  expect(read.output).toMatch(/^     1\tName:\t/u);
  expect(range(read)).toMatchObject({ eof: true, total_lines: read.output.split('\n').length - 1 });
  const first = await session.tool('read', { file_path: 'status', limit: 2 });
  expect(range(first)).toMatchObject({ returned_lines: 2, next_offset: 2, eof: false });
});

test('a file that was changed is read anew', async () => {
  const project = await openFile('old\n');
  await project.call('read', { file_path: 'f' });
  await project.call('write', { file_path: 'f', content: 'new\n' });
  const result = await project.call('read', { file_path: 'f' });
  expect(result.output).toBe('     1\tnew\n');
});

describe('what is no plain text', () => {
  const png = Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d4948445200000280000001e00806000000', 'hex'),
    Buffer.alloc(100),
  ]);

  test('an image is shown as an image', async () => {
    const project = await openProject({ files: { 'a.png': png } });
    const result = await project.call('read', { file_path: 'a.png' });
    expect(result.output).toBe('[image/png image, 640 × 480 pixels, 129 bytes]\n');
    expect(result.content).toEqual([
      { type: 'image', data: png.toString('base64'), mimeType: 'image/png' },
    ]);
    expect(result.metadata).toMatchObject({ media_type: 'image/png', bytes: 129, width: 640 });
    const window = await project.call('read', { file_path: 'a.png', offset: 2 });
    expect(window.error).toMatchObject({ type: 'invalid_argument' });
  });

  test('an image over its bound is refused', async () => {
    const project = await openProject({ files: { 'a.png': png } }, { maxImageBytes: 128 });
    const result = await project.call('read', { file_path: 'a.png' });
    expect(result.error).toMatchObject({ type: 'limit_exceeded', reason: 'too_large' });
  });

  test('a notebook is shown as its cells, a damaged one as the JSON that it is', async () => {
    const cells = [{ cell_type: 'code', source: ['x = 1\n', 'y = 2'], outputs: [] }];
    const project = await openProject({
      files: { 'a.ipynb': JSON.stringify({ nbformat: 4, cells }), 'b.ipynb': '{"cells": [\n' },
    });
    const result = await project.call('read', { file_path: 'a.ipynb' });
    expect(result.output).toBe(
      '[cells of a notebook as text; the file itself is JSON, and edits apply to that]\n' +
        '     1\t--- cell 1 of 1 [code python] ---\n     2\tx = 1\n     3\ty = 2\n',
    );
    expect(result.metadata).toMatchObject({ document_kind: 'notebook' });
    const damaged = await project.call('read', { file_path: 'b.ipynb' });
    expect(damaged.output).toBe('     1\t{"cells": [\n');
  });

  test.each([
    ['gzip', '1f8b0800000000000003', 'application/gzip'],
    ['an executable', '7f454c4602010100', 'application/x-elf'],
    ['other bytes', '0001020304', 'application/octet-stream'],
  ])('%s never becomes text', async (_name, hex, mediaType) => {
    const project = await openFile(Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(20)]));
    const result = await project.call('read', { file_path: 'f' });
    expect(result.error).toMatchObject({
      type: 'unsupported',
      reason: 'binary',
      media_type: mediaType,
    });
    const edit = await project.call('edit', { file_path: 'f', old_string: 'a', new_string: 'b' });
    expect(edit.error).toMatchObject({ type: 'unsupported', reason: 'binary' });
  });

  test('a damaged PDF is told apart from text', async () => {
    const project = await openFile('%PDF-1.7\n1 0 obj\n<<\n');
    expect((await project.call('read', { file_path: 'f' })).error).toMatchObject({
      type: 'unsupported',
      reason: 'malformed',
    });
  });
});

test('a kept output is read by its URI, in windows and by cursor', async () => {
  const source = Array.from({ length: 40_000 }, (_, index) => `row ${index}\n`).join('');
  const project = await openFile(source);
  const replacement = source.replaceAll('row', 'ROW');
  const edit = await project.call('write', { file_path: 'f', content: replacement });
  const uri = (edit.metadata['change'] as { artifact_uri?: string }).artifact_uri ?? '';
  expect(uri).toMatch(/^a3s:\/\/tool-output\/write\/[0-9a-f]{64}$/);
  const first = await project.call('read', { file_path: uri, limit: 2 });
  expect(first.error).toBeNull();
  expect(first.metadata).toMatchObject({ file_path: uri, sha256: uri.slice(-64) });
  const next = await project.call('read', {
    file_path: uri,
    cursor: range(first)['next_cursor'] ?? '',
    limit: 2,
  });
  expect(next.output.startsWith('     3\t')).toBe(true);
  const missing = await project.call('read', {
    file_path: `a3s://tool-output/read/${'0'.repeat(64)}`,
  });
  expect(missing.error).toMatchObject({ type: 'not_found' });
});

test('the session helper gives the text as it stands in the file', async () => {
  const texts = {
    lf: 'a\nb\n',
    open: 'a\nb',
    crlf: 'a\r\nb\r\n',
    mixed: 'a\r\nb\nc\r\nd',
    empty: '',
    tabs: '\t1\tx\n\u2028\u0085y\n',
    long: `${'x'.repeat(300_000)}\n${'line\r\n'.repeat(50_000)}end`,
  };
  const project = await openProject({ files: texts });
  for (const [path, text] of Object.entries(texts)) {
    expect(await project.session.readFile(path)).toBe(text);
  }
  await expect(project.session.readFile('nope')).rejects.toMatchObject({ type: 'not_found' });
});

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { findPlaceholder } from '../../src/write/placeholder.ts';
import { hex, openFile, openProject } from '../open-project.ts';

test('a new file, with the directories above it', async () => {
  const project = await openProject();
  const result = await project.call('write', { file_path: 'a/b/c.txt', content: 'é\n' });
  expect(result.metadata).toMatchObject({
    file_path: 'a/b/c.txt',
    created: true,
    mode: 'overwrite',
    bytes: 3,
    before_sha256: null,
    after_sha256: sha256Hex(Buffer.from('é\n')),
  });
  expect(result.output).toContain('Created a/b/c.txt: 3 bytes');
  expect(await project.bytes('a/b/c.txt')).toEqual(Buffer.from('é\n'));
});

test('an overwrite tells both digests and the difference', async () => {
  const project = await openFile('one\ntwo\n');
  const result = await project.call('write', { file_path: 'f', content: 'one\n2\n' });
  expect(result.metadata).toMatchObject({
    created: false,
    before_sha256: sha256Hex(Buffer.from('one\ntwo\n')),
    after_sha256: sha256Hex(Buffer.from('one\n2\n')),
    change: { diff: '@@ -1,2 +1,2 @@\n one\n-two\n+2\n', added_lines: 1, removed_lines: 1 },
  });
  expect(result.output).toContain('-two\n+2\n');
});

test('a large file that is replaced line by line is written and told of', async () => {
  const project = await openFile('old\n'.repeat(130_000));
  const content = 'new\n'.repeat(140_000);
  const result = await project.call('write', { file_path: 'f', content });
  expect(result.error).toBeNull();
  expect(result.metadata).toMatchObject({
    after_sha256: sha256Hex(Buffer.from(content)),
    change: { added_lines: 140_000, removed_lines: 130_000, truncated: true },
  });
  expect(await project.text('f')).toBe(content);
});

test('content is written as given', async () => {
  for (const content of ['', 'x', 'a\r\nb\n', '\uFEFFa', 'tab\tnul\u0000\n', 'e\u0301\u2028']) {
    const project = await openProject();
    await project.call('write', { file_path: 'f', content });
    expect(await project.bytes('f')).toEqual(Buffer.from(content, 'utf8'));
  }
});

test('the encoding and the mark of a replaced file stay', async () => {
  const project = await openProject({
    files: {
      utf16: Buffer.from('\uFEFFold\n', 'utf16le'),
      gbk: hex('c4 e3 ba c3 0a b2 e2 ca d4 0a'),
      mark: Buffer.from('\uFEFFold\n'),
    },
  });
  await project.call('write', { file_path: 'utf16', content: 'né\n' });
  expect(await project.bytes('utf16')).toEqual(Buffer.from('\uFEFFné\n', 'utf16le'));
  await project.call('write', { file_path: 'gbk', content: '好\n' });
  expect(await project.bytes('gbk')).toEqual(hex('ba c3 0a'));
  await project.call('write', { file_path: 'mark', content: '\uFEFFnew\n' });
  expect(await project.bytes('mark')).toEqual(Buffer.from('\uFEFFnew\n'));
  await project.call('write', { file_path: 'mark', content: 'newer\n' });
  expect(await project.bytes('mark')).toEqual(Buffer.from('\uFEFFnewer\n'));
});

test('a change of all line endings is told', async () => {
  const project = await openFile('a\r\nb\r\n');
  const result = await project.call('write', { file_path: 'f', content: 'a\nc\n' });
  expect(result.output).toContain('[line endings were crlf and are lf now]');
  expect(await project.text('f')).toBe('a\nc\n');
});

test('text that is no valid Unicode is refused', async () => {
  const project = await openProject();
  const result = await project.call('write', { file_path: 'f', content: 'ok\ud83d end' });
  expect(result.error).toMatchObject({ type: 'invalid_argument', reason: 'unencodable' });
  expect(await project.names()).toEqual([]);
});

describe('if_match', () => {
  test('builds on the state that was read', async () => {
    const project = await openFile('one\n');
    const sha256 = sha256Hex(Buffer.from('one\n'));
    const stale = await project.call('write', {
      file_path: 'f',
      content: 'x',
      if_match: 'f'.repeat(64),
    });
    expect(stale.error).toMatchObject({
      type: 'version_conflict',
      path: 'f',
      expected: 'f'.repeat(64),
      actual: sha256,
    });
    expect(await project.text('f')).toBe('one\n');
    const done = await project.call('write', {
      file_path: 'f',
      content: 'two\n',
      if_match: sha256,
    });
    expect(done.error).toBeNull();
    const edit = await project.call('edit', {
      file_path: 'f',
      old_string: 'two',
      new_string: '2',
      if_match: sha256,
    });
    expect(edit.error).toMatchObject({ type: 'version_conflict' });
  });

  test('absent creates and never overwrites', async () => {
    const project = await openFile('one\n');
    const args = { content: 'new\n', if_match: 'absent' };
    expect((await project.call('write', { file_path: 'f', ...args })).error).toMatchObject({
      type: 'version_conflict',
    });
    expect((await project.call('write', { file_path: 'g', ...args })).error).toBeNull();
    expect(await project.text('f')).toBe('one\n');
    const missing = await project.call('write', {
      file_path: 'h',
      content: '',
      if_match: 'f'.repeat(64),
    });
    expect(missing.error).toMatchObject({ type: 'version_conflict' });
  });

  test('other words are refused', async () => {
    const project = await openFile('one\n');
    for (const ifMatch of ['latest', 'F'.repeat(64), '0'.repeat(63)]) {
      const result = await project.call('write', {
        file_path: 'f',
        content: '',
        if_match: ifMatch,
      });
      expect(result.error).toMatchObject({ type: 'invalid_argument' });
    }
  });
});

test('a dry run writes nothing and tells the same', async () => {
  const project = await openFile('one\n');
  const before = await stat(join(project.root, 'f'));
  const args = { file_path: 'f', content: 'two\n' };
  const dry = await project.call('write', { ...args, dry_run: true });
  expect(dry.output).toContain('Would write f');
  const after = await stat(join(project.root, 'f'));
  expect([after.mtimeMs, after.ino]).toEqual([before.mtimeMs, before.ino]);
  const wet = await project.call('write', args);
  const facts = ({ metadata }: typeof wet) => ({
    ...metadata,
    dry_run: null,
    a3s_tool_result_evidence: null,
    changed_paths: null,
  });
  expect(facts(dry)).toEqual(facts(wet));
  const absent = await project.call('write', { file_path: 'g/h', content: 'x', dry_run: true });
  expect(absent.metadata).toMatchObject({ created: true, file_path: 'g/h' });
  expect(await project.names()).toEqual(['f']);
});

describe('append', () => {
  const append = { file_path: 'f', mode: 'append', content: 'two\n' };

  test('adds a chunk at the offset that the caller knows', async () => {
    const project = await openFile('one\n');
    const result = await project.call('write', { ...append, expected_offset: 4 });
    expect(result.metadata).toMatchObject({
      mode: 'append',
      offset: 4,
      appended_bytes: 4,
      resulting_size: 8,
      already_applied: false,
      created: false,
    });
    expect(await project.text('f')).toBe('one\ntwo\n');
  });

  test('adds a chunk that is sent twice once', async () => {
    const project = await openFile('one\n');
    await project.call('write', { ...append, expected_offset: 4 });
    const again = await project.call('write', { ...append, expected_offset: 4 });
    expect(again.metadata).toMatchObject({ already_applied: true, resulting_size: 8 });
    expect(await project.text('f')).toBe('one\ntwo\n');
  });

  test('is refused at any other offset', async () => {
    const project = await openFile('one\n');
    for (const offset of [0, 3, 5, 8]) {
      const result = await project.call('write', { ...append, expected_offset: offset });
      expect(result.error).toMatchObject({
        type: 'version_conflict',
        reason: 'offset_mismatch',
        expected: String(offset),
        actual: '4',
      });
    }
    expect(await project.text('f')).toBe('one\n');
  });

  test('needs an offset and a file', async () => {
    const project = await openFile('one\n');
    expect((await project.call('write', append)).error).toMatchObject({
      type: 'invalid_argument',
    });
    const missing = await project.call('write', { ...append, file_path: 'g', expected_offset: 0 });
    expect(missing.error).toMatchObject({ type: 'not_found' });
    expect(missing.error?.message).toContain('overwrite');
    const overwrite = { file_path: 'f', content: 'x' };
    const neutral = await project.call('write', { ...overwrite, expected_offset: 0, mode: null });
    expect(neutral.error).toBeNull();
    const wrong = await project.call('write', { ...overwrite, expected_offset: 3 });
    expect(wrong.error).toMatchObject({ type: 'invalid_argument' });
  });

  test('keeps the encoding of the file', async () => {
    const project = await openFile(Buffer.from('\uFEFFa\n', 'utf16le'));
    await project.call('write', { ...append, content: 'é\n', expected_offset: 6 });
    expect(await project.bytes('f')).toEqual(Buffer.from('\uFEFFa\né\n', 'utf16le'));
  });

  test('tries without writing', async () => {
    const project = await openFile('one\n');
    const result = await project.call('write', { ...append, expected_offset: 4, dry_run: true });
    expect(result.metadata).toMatchObject({ resulting_size: 8, dry_run: true });
    expect(await project.text('f')).toBe('one\n');
  });
});

describe('placeholders', () => {
  test.each([
    '// ... rest of the code unchanged ...',
    '# ... existing code ...',
    '    // …rest unchanged…',
    '/* ... remaining methods ... */',
    '<!-- ... rest of the file stays the same ... -->',
    '(rest of the implementation ...)',
    '{/* ... existing imports ... */}',
    '... rest unchanged ...',
    '// rest of the code remains unchanged',
    '# remaining functions omitted for brevity',
    '-- [... previous content here ...]',
  ])('%s', (line) => {
    expect(findPlaceholder(`a();\n${line}\nb();\n`, '')).toEqual({ line: 1, text: line.trim() });
  });

  test.each([
    '...',
    '// ...',
    '...and the rest is history.',
    'The remaining code is in the other file.',
    '// the rest of the arguments are passed on',
    'const { a, ...rest } = props;',
    'function f(...rest) {',
    '# TODO: existing users ...',
    '// keep the existing code path for old clients ...',
    'return [...existing, item];',
    '// unchanged',
    '# Same as above',
  ])('%s is text', (line) => {
    expect(findPlaceholder(`a();\n${line}\nb();\n`, '')).toBeUndefined();
  });

  test('are refused by write, but not where the file has the line already', async () => {
    const line = '// ... existing code ...';
    const project = await openProject({ files: { a: 'a();\n', b: `x();\n${line}\n` } });
    const refused = await project.call('write', { file_path: 'a', content: `b();\n${line}\n` });
    expect(refused.error).toMatchObject({
      type: 'invalid_argument',
      reason: 'placeholder',
      line: 2,
    });
    expect(await project.text('a')).toBe('a();\n');
    const kept = await project.call('write', { file_path: 'b', content: `y();\n${line}\n` });
    expect(kept.error).toBeNull();
  });
});

test('CR, LF and sizes: nothing is left beside the file', async () => {
  const project = await openFile('x');
  for (let round = 0; round < 5; round += 1) {
    await project.call('write', { file_path: 'f', content: 'y'.repeat(round * 1_000) });
  }
  expect(await readdir(project.root)).toEqual(['f']);
});

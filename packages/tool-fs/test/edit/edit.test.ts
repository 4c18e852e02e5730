import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '@toolwright/core';
import type { JsonValue } from '@toolwright/core';
import { decodeDocument, loadCodec } from '@toolwright/documents';
import type { Encoding } from '@toolwright/documents';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planEdits } from '../../src/edit/plan-edits.ts';
import { openFile, openProject } from '../open-project.ts';

const sha256 = (text: string): string => sha256Hex(Buffer.from(text));

test('metadata and output of an edit', async () => {
  const project = await openFile('one\ntwo\nthree\n');
  const result = await project.call('edit', {
    file_path: 'f',
    old_string: 'two',
    new_string: 'zwei',
  });
  expect(result.output).toBe(
    'Edited f: 1 replacement at line 2.\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n',
  );
  expect(result.metadata).toMatchObject({
    file_path: 'f',
    dry_run: false,
    replacement_count: 1,
    tier: 'exact',
    lines: [2],
    before_sha256: sha256('one\ntwo\nthree\n'),
    after_sha256: sha256('one\nzwei\nthree\n'),
    change: {
      diff: '@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n',
      added_lines: 1,
      removed_lines: 1,
      truncated: false,
    },
  });
});

test('a dry run tells the same and writes nothing', async () => {
  const project = await openFile('a b a\n');
  const before = await stat(join(project.root, 'f'));
  const args = { file_path: 'f', old_string: 'a', new_string: 'c', replace_all: true };
  const dry = await project.call('edit', { ...args, dry_run: true });
  const after = await stat(join(project.root, 'f'));
  expect([after.mtimeMs, after.ino, after.size]).toEqual([before.mtimeMs, before.ino, before.size]);
  const wet = await project.call('edit', args);
  for (const key of [
    'replacement_count',
    'tier',
    'lines',
    'before_sha256',
    'after_sha256',
    'change',
  ]) {
    expect(dry.metadata[key]).toEqual(wet.metadata[key]);
  }
  expect(dry.metadata).toMatchObject({ dry_run: true, replacement_count: 2, lines: [1, 1] });
  expect(dry.output).toContain('Would edit f: 2 replacements');
});

describe('guards on the count', () => {
  test.each([
    [{ expected_replacements: 3 }, { expected_replacements: 3, replacement_count: 2 }],
    [{ max_replacements: 1 }, { max_replacements: 1, replacement_count: 2 }],
  ])('%j writes nothing', async (guard, facts) => {
    const project = await openFile('a b a\n');
    const args = { file_path: 'f', old_string: 'a', new_string: 'c', replace_all: true };
    const result = await project.call('edit', { ...args, ...guard });
    expect(result.error).toMatchObject({
      type: 'invalid_argument',
      reason: 'unexpected_count',
      ...facts,
    });
    expect(result.metadata).toMatchObject({ file_path: 'f', dry_run: false, ...facts });
    expect(await project.text('f')).toBe('a b a\n');
    const met = await project.call('edit', {
      ...args,
      expected_replacements: 2,
      max_replacements: 2,
    });
    expect(met.metadata).toMatchObject({ expected_replacements: 2, max_replacements: 2 });
  });
});

describe('arguments', () => {
  test.each([
    [{}],
    [{ old_string: 'a' }],
    [{ old_string: '', new_string: 'b' }],
    [{ old_string: 'a', new_string: 'b', edits: [{ old_string: 'a', new_string: 'c' }] }],
    [{ edits: [] }],
    [{ edits: [{ old_string: 'a' }] }],
    [{ edits: [{ old_string: 'a', new_string: 'b', other: 1 }] }],
    [{ edits: Array.from({ length: 65 }, () => ({ old_string: 'a', new_string: 'b' })) }],
    [{ old_string: 'a', new_string: 'b', expected_replacements: 0 }],
    [{ old_string: 'a', new_string: 'b', if_match: 'nothing' }],
  ])('%j is refused', async (args) => {
    const project = await openFile('a\n');
    const result = await project.call('edit', { file_path: 'f', ...args });
    expect(result.error).toMatchObject({ type: 'invalid_argument' });
    expect(await project.text('f')).toBe('a\n');
  });

  test('the part of a replacement that is missing is named', async () => {
    const project = await openFile('a\n');
    for (const [args, pointer] of [
      [{ old_string: 'a' }, '/new_string'],
      [{ new_string: 'b' }, '/old_string'],
      [{ old_string: '', new_string: 'b' }, '/old_string'],
    ] as const) {
      const { error } = await project.call('edit', { file_path: 'f', ...args });
      expect(error?.message).toContain(`${pointer}: missing`);
    }
  });

  test('an empty new_string deletes', async () => {
    const project = await openFile('a b\n');
    const result = await project.call('edit', {
      file_path: 'f',
      old_string: ' b',
      new_string: '',
    });
    expect(result.error).toBeNull();
    expect(await project.text('f')).toBe('a\n');
  });

  test('neutral values of the other form are no errors', async () => {
    const project = await openFile('a\n');
    const result = await project.call('edit', {
      file_path: 'f',
      old_string: 'a',
      new_string: 'b',
      edits: [],
      if_match: '',
      max_replacements: null,
    });
    expect(result.error).toBeNull();
  });
});

test('the failing one of several edits is named, and nothing is done', async () => {
  const project = await openFile('a\nb\nb\n');
  const call = async (edits: readonly JsonValue[]) =>
    project.call('edit', { file_path: 'f', edits });
  const first = { old_string: 'a', new_string: 'A' };
  const miss = await call([first, { old_string: 'zzz', new_string: 'x' }]);
  expect(miss.error).toMatchObject({ type: 'not_found', reason: 'no_match', edit_index: 1 });
  expect(miss.metadata).toMatchObject({ file_path: 'f', replacement_count: 0 });
  const several = await call([first, { old_string: 'b', new_string: 'x' }]);
  expect(several.error).toMatchObject({
    reason: 'ambiguous',
    edit_index: 1,
    replacement_count: 2,
  });
  const overlap = await call([first, { old_string: 'a\nb', new_string: 'x' }]);
  expect(overlap.error).toMatchObject({
    type: 'invalid_argument',
    reason: 'overlap',
    edit_index: 1,
  });
  const same = await call([first, { old_string: 'b', new_string: 'b' }]);
  expect(same.error).toMatchObject({ reason: 'no_change', edit_index: 1 });
  expect(await project.text('f')).toBe('a\nb\nb\n');
});

test('a tolerant match reports its tier', async () => {
  const project = await openFile('if x:\n        go()\n');
  const result = await project.call('edit', {
    file_path: 'f',
    old_string: '    go()\n',
    new_string: '    stop()\n',
  });
  // A substring: the blanks of the search text are the last of the line's.
  expect(result.metadata).toMatchObject({ tier: 'exact' });
  const deeper = await project.call('edit', {
    file_path: 'f',
    old_string: '\tstop()\n',
    new_string: '\tgo()\n\tstop()\n',
  });
  expect(deeper.metadata).toMatchObject({ tier: 'indentation', lines: [2] });
  expect(deeper.output).toContain('matched with indentation differences');
  expect(await project.text('f')).toBe('if x:\n        go()\n        stop()\n');
});

test('a miss shows the closest text to the model', async () => {
  const project = await openFile('function total(list) {\n  return list.length;\n}\n');
  const result = await project.call('edit', {
    file_path: 'f',
    old_string: 'return list.size;',
    new_string: 'x',
  });
  expect(result.error?.['candidates']).toEqual([
    {
      line: 2,
      text: '  return list.length;',
      diff: expect.stringContaining('return list.'),
    },
  ]);
  expect(result.output).toContain('not_found');
  expect(result.output).toContain('Closest text, line 2:\n  return list.length;');
});

test('many replacements of many edits keep the metadata within its bound', async () => {
  const letters = Array.from({ length: 64 }, (_, index) => `[${index}]`);
  const project = await openFile(letters.map((text) => `${text}\n`.repeat(1_000)).join(''));
  const result = await project.call('edit', {
    file_path: 'f',
    edits: letters.map((text) => ({ old_string: text, new_string: `${text}!`, replace_all: true })),
  });
  expect(result.metadata).toMatchObject({
    replacement_count: 64_000,
    lines: Array.from({ length: 1_000 }, (_, index) => index + 1),
  });
  const edits: unknown = result.metadata['edits'];
  expect(edits).toHaveLength(64);
  expect(edits).toMatchObject([
    { replacement_count: 1_000 },
    ...letters.slice(1).map(() => ({ replacement_count: 1_000, lines: [] })),
  ]);
});

test('a large change is previewed and kept whole as an artifact', async () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => `old line ${index}`);
  const project = await openFile(`${lines.join('\n')}\n`);
  const result = await project.call('edit', {
    file_path: 'f',
    old_string: 'old',
    new_string: 'new',
    replace_all: true,
  });
  const change = result.metadata['change'] as { diff: string; artifact_uri: string };
  expect(change).toMatchObject({ truncated: true, added_lines: 2_000, removed_lines: 2_000 });
  expect(Buffer.byteLength(change.diff)).toBeLessThanOrEqual(8_192);
  expect(Buffer.byteLength(result.output)).toBeLessThan(10_000);
  expect(result.output).toContain(change.artifact_uri);
  const kept = await project.call('read', { file_path: change.artifact_uri, limit: 3 });
  expect(kept.output).toContain('@@ -1,2000 +1,2000 @@');
  expect((result.metadata['lines'] as number[]).length).toBeLessThanOrEqual(1_000);
});

test('an edit of a file that another process changes meanwhile is done on the new content', async () => {
  const project = await openFile('a\nb\n');
  const results = await Promise.all(
    ['a', 'b'].map(async (word) =>
      project.call('edit', { file_path: 'f', old_string: word, new_string: word.toUpperCase() }),
    ),
  );
  expect(results.map((result) => result.error)).toEqual([null, null]);
  expect(await project.text('f')).toBe('A\nB\n');
});

test('one line is edited in a file of curly quotes: every other byte stays', async () => {
  const source = 'say \u201cone\u201d \uFF21\u00a0x\nline two\ncafe\u0301 \u2014 end';
  const project = await openFile(source);
  await project.call('edit', { file_path: 'f', old_string: 'line two', new_string: 'line 2' });
  expect(await project.text('f')).toBe(source.replace('line two', 'line 2'));
});

const ENCODINGS: readonly (readonly [Encoding, string])[] = [
  ['utf-8', 'aé中😀'],
  ['utf-16le', 'aé中😀'],
  ['utf-16be', 'aé中😀'],
  ['gb18030', 'aé中😀'],
  ['shift_jis', 'a表ソｱ'],
  ['euc-kr', 'a한값'],
  ['windows-1252', 'aé€'],
];

test.each(ENCODINGS)(
  'in %s an edit leaves what stands before and after it, byte for byte',
  async (encoding, alphabet) => {
    const codec = await loadCodec(encoding);
    const character = fc.constantFrom(...Array.from(alphabet), '\n', '\r\n', ' ', '\t');
    const text = fc.array(character, { maxLength: 40 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(text, text, text, async (before, after, replacement) => {
        const [head, tail] = [Buffer.from(codec.encode(before)), Buffer.from(codec.encode(after))];
        const bytes = Buffer.concat([head, codec.encode('<MARK>'), tail]);
        const document = await decodeDocument(bytes, {
          encoding,
          bomLength: 0,
          source: 'declaration',
          lossy: false,
        });
        const plan = planEdits(document.text, [{ search: '<MARK>', replacement, all: false }]);
        const changed = Buffer.from(document.splice(plan.ok ? plan.splices : []));
        expect(plan.ok).toBe(true);
        expect(changed.subarray(0, head.length)).toEqual(head);
        expect(changed.subarray(changed.length - tail.length)).toEqual(tail);
        const middle = codec.decode(changed.subarray(head.length, changed.length - tail.length));
        expect(middle.replaceAll('\r\n', '\n')).toBe(replacement.replaceAll('\r\n', '\n'));
      }),
      { numRuns: Number(process.env['TOOLWRIGHT_LONG'] ?? 0) > 0 ? 2_000 : 60 },
    );
  },
);

test('a file over the bound is refused', async () => {
  const project = await openProject();
  const { truncate, writeFile } = await import('node:fs/promises');
  await writeFile(join(project.root, 'f'), 'a');
  await truncate(join(project.root, 'f'), 67_108_865);
  const result = await project.call('edit', { file_path: 'f', old_string: 'a', new_string: 'b' });
  expect(result.error).toMatchObject({ type: 'limit_exceeded', reason: 'too_large' });
});

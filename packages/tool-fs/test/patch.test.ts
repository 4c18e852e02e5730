import { memoryWorkspace, sha256Hex } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { callPatch, contentOf, filesOf, openPatchSession } from './patch/patch-session.ts';
import { patchCases, type PatchCase } from './patch/patch-cases.ts';

function modified(path: string, old: string, created: string): string {
  return `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${old}\n+${created}\n`;
}

describe('handed cases, by the tool', () => {
  test.each(patchCases.map((handed) => [handed.id, handed] as const))('%s', async (_, handed) => {
    const { files, results } = await applyAll(handed);
    const last = results.at(-1);
    expect(files).toEqual(handed.after);
    const error = last?.error ?? null;
    expect(
      error === null ? undefined : { type: error.type, reason: error.reason, path: error['path'] },
    ).toEqual(handed.refused);
    expect(results.slice(0, -1).map(({ exit_code }) => exit_code)).toEqual(
      handed.diffs.slice(1).map(() => 0),
    );
  });

  async function applyAll({ files, diffs }: PatchCase) {
    const workspace = memoryWorkspace({ files });
    const results = [];
    for (const diff of diffs) results.push(await callPatch(workspace, { diff }));
    const paths = Object.keys(await filesOf(workspace));
    const after: Record<string, string> = {};
    for (const path of paths) {
      const reader = await workspace.files?.openRead(path);
      after[path] = new TextDecoder().decode(await reader?.read(0, reader.stat.size));
      await reader?.close();
    }
    return { files: after, results };
  }
});

describe('the report', () => {
  test('tells of each file and hunk', async () => {
    const workspace = memoryWorkspace({ files: { 'a.txt': '0\n1\n', old: 'x\n', gone: 'g\n' } });
    const diff =
      modified('a.txt', '1', '2') +
      'diff --git a/old b/sub/new\nrename from old\nrename to sub/new\n' +
      '--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+y\n' +
      '*** not a header\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n';
    const result = await callPatch(workspace, { diff });
    expect(result.output).toBe(
      'Patched 4 files.\nmodify a.txt (1 hunk): hunk 1 at line 2 (offset +1)\nrename old -> sub/new\ncreate run.sh (1 hunk)\ndelete gone (1 hunk)',
    );
    expect(result.metadata).toMatchObject({
      dry_run: false,
      files: [
        {
          path: 'a.txt',
          action: 'modify',
          hunks: [{ applied_at: 2, offset: 1 }],
          before_sha256: sha256Hex('0\n1\n'),
          after_sha256: sha256Hex('0\n2\n'),
        },
        {
          path: 'sub/new',
          from: 'old',
          action: 'rename',
          hunks: [],
          before_sha256: sha256Hex('x\n'),
          after_sha256: sha256Hex('x\n'),
        },
        {
          path: 'run.sh',
          action: 'create',
          hunks: [{ applied_at: 1, offset: 0 }],
          before_sha256: null,
          after_sha256: sha256Hex('y\n'),
        },
        {
          path: 'gone',
          action: 'delete',
          hunks: [{ applied_at: 1, offset: 0 }],
          before_sha256: sha256Hex('g\n'),
          after_sha256: null,
        },
      ],
    });
    expect(await filesOf(workspace)).toEqual({
      'a.txt': '0\n2\n',
      'sub/new': 'x\n',
      'run.sh': 'y\n',
    });
  });

  test('counts a file once that the diff names twice, and leaves a deleted one without a digest', async () => {
    const workspace = memoryWorkspace({ files: { f: 'a\n', g: 'x\n' } });
    const diff =
      '*** Begin Patch\n*** Delete File: f\n*** Add File: f\n+new\n*** Delete File: g\n*** End Patch\n';
    const { output, metadata } = await callPatch(workspace, { diff });
    expect(output).toContain('Patched 2 files.\n');
    expect(metadata['files']).toMatchObject([
      { path: 'f', action: 'delete', before_sha256: sha256Hex('a\n'), after_sha256: null },
      { path: 'f', action: 'create', before_sha256: null, after_sha256: sha256Hex('new\n') },
      { path: 'g', action: 'delete', after_sha256: null },
    ]);
    expect(await contentOf(workspace, 'f')).toBe('new\n');
  });

  test('stays within its bound, and counts what it leaves out', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `${index}`);
    const workspace = memoryWorkspace({ files: { f: `${lines.join('\n')}\n` } });
    const hunks = lines
      .filter((_, index) => index % 2 === 0)
      .map((line) => `@@ -${Number(line) + 1} +${Number(line) + 1} @@\n-${line}\n+x${line}\n`);
    const result = await callPatch(workspace, { diff: hunks.join(''), file_path: 'f' });
    expect(result.metadata['files']).toMatchObject([{ path: 'f', hunks_omitted: 500 }]);
    expect(result.metadata['files']).toHaveLength(1);
  });

  test('of a refusal shows the closest place to the model', async () => {
    const workspace = memoryWorkspace({ files: { f: 'a\nb \nc\n' } });
    const result = await callPatch(workspace, {
      diff: '--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
    });
    expect(result.error).toMatchObject({
      type: 'version_conflict',
      reason: 'context_mismatch',
      path: 'f',
      hunk: 1,
      diff_line: 3,
      candidates: [{ line: 1, text: 'a\nb \nc', diff: ' a\n-b\n+b \n c' }],
    });
    expect(result.output).toContain('only white space at the end of the line differs');
    expect(result.output).toContain(' a\n-b\n+b \n c');
  });
});

describe('before anything is written', () => {
  test('a dry run reports the same and writes nothing', async () => {
    const workspace = memoryWorkspace({ files: { a: '1\n', b: '1\n' } });
    const diff = modified('a', '1', '2') + '--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n';
    const dry = await callPatch(workspace, { diff, dry_run: true });
    expect(await filesOf(workspace)).toEqual({ a: '1\n', b: '1\n' });
    const real = await callPatch(workspace, { diff });
    expect(dry.metadata['files']).toEqual(real.metadata['files']);
    expect([dry.metadata['dry_run'], real.metadata['dry_run']]).toEqual([true, false]);
    expect(await filesOf(workspace)).toEqual({ a: '2\n' });
  });

  test('if_match holds for each file that it names', async () => {
    const workspace = memoryWorkspace({ files: { a: '1\n', b: '1\n' } });
    const diff = modified('a', '1', '2') + '--- /dev/null\n+++ b/c\n@@ -0,0 +1 @@\n+3\n';
    const stale = await callPatch(workspace, { diff, if_match: { './a': sha256Hex('0\n') } });
    expect(stale.error).toMatchObject({
      type: 'version_conflict',
      path: 'a',
      expected: sha256Hex('0\n'),
      actual: sha256Hex('1\n'),
    });
    const other = await callPatch(workspace, { diff, if_match: { b: sha256Hex('1\n') } });
    expect(other.error).toMatchObject({ type: 'invalid_argument', reason: 'unknown_path' });
    expect(await filesOf(workspace)).toEqual({ a: '1\n', b: '1\n' });
    const good = await callPatch(workspace, {
      diff,
      if_match: { a: sha256Hex('1\n'), c: 'absent' },
    });
    expect(good.error).toBeNull();
  });

  test.each([
    ['outside', '../x', { type: 'permission_denied', reason: 'outside_workspace' }],
    [
      'outside, absolute',
      '/etc/hostname',
      { type: 'permission_denied', reason: 'outside_workspace' },
    ],
    ['credentials', '.env', { type: 'permission_denied', reason: 'credential' }],
    ['a directory', 'sub', { type: 'invalid_argument', reason: 'not_a_file' }],
    ['a NUL', 'a\0b', { type: 'invalid_argument' }],
    ['nothing there', 'missing', { type: 'not_found' }],
  ])('%s is refused, with all the rest of the patch', async (_, path, expected) => {
    const files = { a: '1\n', 'sub/b': '1\n', '.env': '1\n' };
    const workspace = memoryWorkspace({ files });
    const diff = `${modified('a', '1', '2')}--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-1\n+2\n`;
    const result = await callPatch(workspace, { diff });
    expect(result.error).toMatchObject(expected);
    expect(await contentOf(workspace, 'a')).toBe('1\n');
  });

  test('a malformed diff is refused before policy is asked', async () => {
    const session = await openPatchSession(memoryWorkspace({ files: { a: '1\n' } }));
    const result = await session.invoke({
      id: 'c1',
      name: 'patch',
      arguments: { diff: '--- a/a\n+++ b/a\n@@ -1,9 +1 @@\n-1\n+2\n' },
    });
    expect(result.error).toMatchObject({
      type: 'invalid_argument',
      reason: 'hunk_counts',
      stage: 'describe',
      diff_line: 3,
    });
    await session.close();
  });
});

describe('declared effects', () => {
  test('are one write for each touched path; a rename has two, a copy reads its source', async () => {
    const session = await openPatchSession(memoryWorkspace({ files: { a: '1\n', c: '1\n' } }));
    const diff =
      modified('a', '1', '2') +
      'diff --git a/b b/d\nrename from b\nrename to d\n' +
      'diff --git a/c b/e\ncopy from c\ncopy to e\n';
    const effectsOf = async (dryRun: boolean) =>
      (
        await session.prepare({ id: 'c1', name: 'patch', arguments: { diff, dry_run: dryRun } })
      ).effects.map(({ kind, target }) => `${kind} ${target}`);
    expect(await effectsOf(false)).toEqual(['write a', 'write b', 'write d', 'read c', 'write e']);
    expect(await effectsOf(true)).toEqual(['read a', 'read b', 'read d', 'read c', 'read e']);
    await session.close();
  });
});

describe('links', () => {
  test('are followed by a change, and stay', async () => {
    const workspace = memoryWorkspace({ files: { 'real/f': '1\n' }, links: { link: 'real/f' } });
    const result = await callPatch(workspace, { diff: modified('link', '1', '2') });
    expect(result.metadata['files']).toMatchObject([{ path: 'real/f', action: 'modify' }]);
    expect(await contentOf(workspace, 'real/f')).toBe('2\n');
    expect((await workspace.files?.stat('link', { followLinks: false }))?.kind).toBe('symlink');
  });

  test('are not deleted or renamed in place of their files', async () => {
    const workspace = memoryWorkspace({
      files: { 'real/f': '1\n' },
      links: { link: 'real/f', dir: 'real' },
    });
    const deletion = '*** Begin Patch\n*** Delete File: link\n*** End Patch\n';
    expect((await callPatch(workspace, { diff: deletion })).error).toMatchObject({
      type: 'unsupported',
      reason: 'symlink',
      path: 'link',
    });
    const rename = 'diff --git a/link b/x\nrename from link\nrename to x\n';
    expect((await callPatch(workspace, { diff: rename })).error).toMatchObject({
      reason: 'symlink',
    });
    const through = '*** Begin Patch\n*** Delete File: dir/f\n*** End Patch\n';
    expect((await callPatch(workspace, { diff: through })).error).toBeNull();
  });

  test('two names of one file are one file', async () => {
    const workspace = memoryWorkspace({ files: { f: '1\n' }, links: { link: 'f' } });
    const result = await callPatch(workspace, {
      diff: modified('f', '1', '2') + modified('link', '2', '3'),
    });
    expect(result.error).toBeNull();
    expect(await contentOf(workspace, 'f')).toBe('3\n');
  });
});

describe('encodings', () => {
  const gb18030 = Buffer.from('c4e3bac30a610a', 'hex');
  const change = (old: string, created: string): string =>
    `--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n 你好\n-${old}\n+${created}\n`;

  test.each([
    ['GB18030', gb18030, change('a', '中'), 'c4e3bac30ad6d00a'],
    [
      'UTF-16LE with its mark',
      Buffer.from('\uFEFF你好\r\na\r\n', 'utf16le'),
      change('a', '中'),
      Buffer.from('\uFEFF你好\r\n中\r\n', 'utf16le').toString('hex'),
    ],
    [
      'UTF-8 with a mark',
      Buffer.from('\uFEFF你好\na\n'),
      change('a', 'b'),
      Buffer.from('\uFEFF你好\nb\n').toString('hex'),
    ],
    [
      'a mark that the diff takes away',
      Buffer.from('\uFEFF你好\na\n'),
      '--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-\uFEFF你好\n+你好\n a\n',
      Buffer.from('你好\na\n').toString('hex'),
    ],
    [
      'a mark that the diff puts before another line',
      Buffer.from('\uFEFF你好\na\n'),
      '--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n-\uFEFF你好\n+\uFEFFx\n+你好\n a\n',
      Buffer.from('\uFEFFx\n你好\na\n').toString('hex'),
    ],
    [
      'a stray byte elsewhere',
      Buffer.from('e4bda0e5a5bd0a610a920a', 'hex'),
      change('a', 'b'),
      'e4bda0e5a5bd0a620a920a',
    ],
  ])('%s: every other byte stays', async (...[, before, diff, after]) => {
    const workspace = memoryWorkspace({ files: { f: before } });
    expect((await callPatch(workspace, { diff })).error).toBeNull();
    expect(await contentOf(workspace, 'f')).toBe(after);
  });

  test('text that the encoding lacks is refused', async () => {
    const before = Buffer.from('\uFEFFx\n');
    const workspace = memoryWorkspace({
      files: { f: Buffer.from('82a082a20a0a610a', 'hex'), g: before },
    });
    const detected = await callPatch(workspace, {
      diff: '--- a/f\n+++ b/f\n@@ -3 +3 @@\n-a\n+\u{1F600}\n',
    });
    expect(detected.error).toMatchObject({ type: 'invalid_argument', reason: 'unencodable' });
    const lone = await callPatch(workspace, { diff: modified('g', 'x', '\uD800') });
    expect(lone.error).toMatchObject({ type: 'invalid_argument', reason: 'unencodable' });
  });

  test('bytes that are no text are not replaced by their stand-in', async () => {
    const before = Buffer.concat([
      Buffer.from('plain ascii text\n'.repeat(20)),
      Buffer.from([0x61, 0x92, 0x0a]),
    ]);
    const workspace = memoryWorkspace({ files: { f: before } });
    const result = await callPatch(workspace, {
      diff: '--- a/f\n+++ b/f\n@@ -21 +21 @@\n-a\uFFFD\n+b\uFFFD\n',
    });
    expect(result.error).toMatchObject({ type: 'invalid_argument', reason: 'unencodable' });
    expect(await contentOf(workspace, 'f')).toBe(before.toString('hex'));
  });

  test('a file without text can be moved and deleted, not changed by hunks', async () => {
    const binary = Buffer.from('00010203ff00fe00', 'hex');
    const workspace = memoryWorkspace({ files: { f: binary, g: binary } });
    const diff = 'diff --git a/f b/sub/f\nsimilarity index 100%\nrename from f\nrename to sub/f\n';
    expect((await callPatch(workspace, { diff })).error).toBeNull();
    expect(await contentOf(workspace, 'sub/f')).toBe(binary.toString('hex'));
    expect((await callPatch(workspace, { diff: modified('g', '1', '2') })).error).toMatchObject({
      type: 'unsupported',
      reason: 'binary',
    });
    const deletion = '*** Begin Patch\n*** Delete File: g\n*** End Patch\n';
    expect((await callPatch(workspace, { diff: deletion })).error).toBeNull();
  });
});

test('two patches of one file in the same tick both land', async () => {
  const lines = Array.from({ length: 100 }, (_, index) => `${index + 1}`);
  const session = await openPatchSession(
    memoryWorkspace({ files: { f: `${lines.join('\n')}\n` } }),
  );
  const results = await Promise.all(
    lines.map((line) =>
      session.tool('patch', { diff: `@@\n-${line}\n+x${line}\n`, file_path: 'f' }),
    ),
  );
  expect(results.map(({ exit_code }) => exit_code)).toEqual(lines.map(() => 0));
  await session.close();
});

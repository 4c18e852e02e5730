import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hex, openFile, openProject } from '../open-project.ts';

test('EDIT-001: LF search text in a CRLF file', async () => {
  const project = await openFile('a\r\nb\r\nc\r\n');
  const result = await project.call('edit', {
    file_path: 'f',
    old_string: 'a\nb',
    new_string: 'a\nB\nX',
  });
  expect(result.metadata).toMatchObject({ replacement_count: 1, tier: 'exact', lines: [1] });
  expect(await project.text('f')).toBe('a\r\nB\r\nX\r\nc\r\n');
});

test('EDIT-002: in a mixed file untouched lines keep their own ending', async () => {
  const source = 'a\r\nb\nc\r\nd\n';
  const first = await openFile(source);
  await first.call('edit', { file_path: 'f', old_string: 'b', new_string: 'B' });
  expect(await first.text('f')).toBe('a\r\nB\nc\r\nd\n');
  const second = await openFile(source);
  await second.call('edit', { file_path: 'f', old_string: 'b\nc', new_string: 'b\nC' });
  expect(await second.text('f')).toBe('a\r\nb\nC\r\nd\n');
});

test('EDIT-005: no byte order mark appears', async () => {
  const project = await openFile(hex('6c 31 0d 0a 6c 32 0d 0a'));
  await project.call('edit', { file_path: 'f', old_string: 'l2', new_string: 'L2' });
  expect(await project.bytes('f')).toEqual(hex('6c 31 0d 0a 4c 32 0d 0a'));
});

test('EDIT-007: typographic quotes are written as given', async () => {
  const project = await openProject();
  await project.call('write', { file_path: 'f', content: 'd\u2019art \u201Cok\u201D\n' });
  await project.call('edit', {
    file_path: 'f',
    old_string: 'd\u2019art',
    new_string: 'l\u2019art',
  });
  expect(await project.bytes('f')).toEqual(
    hex('6c e2 80 99 61 72 74 20 e2 80 9c 6f 6b e2 80 9d 0a'),
  );
});

test('EDIT-008: straight to curly is a change; equal texts are none', async () => {
  const project = await openFile("it's\n");
  const changed = await project.call('edit', {
    file_path: 'f',
    old_string: "it's",
    new_string: 'it\u2019s',
  });
  expect(changed.metadata['replacement_count']).toBe(1);
  expect(await project.bytes('f')).toEqual(hex('69 74 e2 80 99 73 0a'));
  const same = await openFile('x');
  const refused = await same.call('edit', { file_path: 'f', old_string: 'x', new_string: 'x' });
  expect(refused.error).toMatchObject({ type: 'invalid_argument', reason: 'no_change' });
});

test('EDIT-011: several places that agree but for white space are ambiguous', async () => {
  const source = 'if (a) {\n    run()\n}\nif (b) {\n        run()\n}\n';
  const project = await openFile(source);
  const result = await project.call('edit', {
    file_path: 'f',
    old_string: '\trun()',
    new_string: '\tstop()',
  });
  expect(result.error).toMatchObject({
    type: 'invalid_argument',
    reason: 'ambiguous',
    replacement_count: 2,
    candidates: [{ line: 2 }, { line: 5 }],
  });
  expect(await project.text('f')).toBe(source);
});

test('EDIT-012: several matches without replace_all are told with their lines', async () => {
  const project = await openFile('x=1\ny=1\nx=1\n');
  const before = await stat(join(project.root, 'f'));
  const result = await project.call('edit', {
    file_path: 'f',
    old_string: 'x=1',
    new_string: 'x=2',
  });
  expect(result.error).toMatchObject({
    type: 'invalid_argument',
    reason: 'ambiguous',
    replacement_count: 2,
    candidates: [
      { line: 1, text: 'x=1' },
      { line: 3, text: 'x=1' },
    ],
  });
  expect(result.error?.message).toContain('2 times');
  expect(result.error?.message).toContain('lines 1, 3');
  expect(result.output).toContain('line 3');
  const after = await stat(join(project.root, 'f'));
  expect([after.mtimeMs, after.ino]).toEqual([before.mtimeMs, before.ino]);
});

test('EDIT-013: replace_all is exact only, and the candidates are told', async () => {
  const source = 'a \nb\na \nb\n';
  const project = await openFile(source);
  const result = await project.call('edit', {
    file_path: 'f',
    old_string: 'a\nb',
    new_string: 'Z',
    replace_all: true,
  });
  expect(result.error).toMatchObject({
    type: 'not_found',
    reason: 'no_match',
    candidates: [{ line: 1 }, { line: 3 }],
  });
  expect(await project.text('f')).toBe(source);
});

test('EDIT-015: a failed edit leaves the file and its directory alone', async () => {
  const project = await openFile('keep\n');
  const before = await stat(join(project.root, 'f'));
  const result = await project.call('edit', {
    file_path: 'f',
    old_string: 'nope',
    new_string: 'x',
  });
  expect(result.error).toMatchObject({ type: 'not_found', reason: 'no_match' });
  const after = await stat(join(project.root, 'f'));
  expect(await project.text('f')).toBe('keep\n');
  expect([after.mtimeMs, after.ino, after.mode]).toEqual([before.mtimeMs, before.ino, before.mode]);
  expect(await project.names()).toEqual(['f']);
});

test('EDIT-016: several edits in any order', async () => {
  const project = await openFile('one\ntwo\nthree\n');
  const result = await project.call('edit', {
    file_path: 'f',
    edits: [
      { old_string: 'three', new_string: '3' },
      { old_string: 'one', new_string: '1\n1.5' },
    ],
  });
  expect(result.metadata).toMatchObject({
    replacement_count: 2,
    lines: [1, 3],
    edits: [{ lines: [3] }, { lines: [1] }],
  });
  expect(await project.text('f')).toBe('1\n1.5\ntwo\n3\n');
});

test('EDIT-019: a search text that ends in the middle of a line', async () => {
  const project = await openFile('  }\n\n  // Build the tree now\n');
  await project.call('edit', {
    file_path: 'f',
    old_string: '  }\n\n  // Build',
    new_string: '  };\n\n  // Make',
  });
  expect(await project.text('f')).toBe('  };\n\n  // Make the tree now\n');
});

test('EDIT-021: the final newline is neither added nor removed', async () => {
  const project = await openFile('a\nb');
  await project.call('edit', { file_path: 'f', old_string: 'a', new_string: 'A' });
  expect(await project.text('f')).toBe('A\nb');
  await project.call('write', { file_path: 'new.txt', content: 'x' });
  expect(await project.bytes('new.txt')).toEqual(hex('78'));
});

test('EDIT-022: text that looks like conflict markers', async () => {
  const conflict = '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> br\n';
  const project = await openFile(conflict);
  const result = await project.call('edit', {
    file_path: 'f',
    old_string: conflict,
    new_string: 'a\n',
  });
  expect(result.metadata['replacement_count']).toBe(1);
  expect(await project.text('f')).toBe('a\n');
});

test('EDIT-023: a search text that overlaps itself is ambiguous', async () => {
  for (const [source, search, replacement, all] of [
    ['x = 1\nx = 1\nx = 1\n', 'x = 1\nx = 1', 'y', 'y\nx = 1\n'],
    ['a\n\n\nb\n', '\n\n', '\n', 'a\n\nb\n'],
  ] as const) {
    const project = await openFile(source);
    const args = { file_path: 'f', old_string: search, new_string: replacement };
    const refused = await project.call('edit', args);
    expect(refused.error).toMatchObject({
      reason: 'ambiguous',
      replacement_count: 2,
      candidates: [{ line: 1 }, { line: 2 }],
    });
    expect(await project.text('f')).toBe(source);
    const done = await project.call('edit', { ...args, replace_all: true });
    expect(done.metadata['replacement_count']).toBe(1);
    expect(await project.text('f')).toBe(all);
  }
});

test('EDIT-024: the search for similar text is bounded', { timeout: 10_000 }, async () => {
  const lines = Array.from(
    { length: 20_000 },
    (_, index) => `const value${index} = compute(${index});`,
  );
  const project = await openFile(lines.join('\n'));
  const absent = Array.from(
    { length: 200 },
    (_, index) => `let other${index} = derive(${index * 3});`,
  );
  const result = await project.call('edit', {
    file_path: 'f',
    old_string: absent.join('\n'),
    new_string: 'x',
  });
  expect(result.error).toMatchObject({ type: 'not_found', reason: 'no_match' });
});

test('WRITE-001: an edit keeps the mode, under any umask', async () => {
  for (const mode of [0o755, 0o600]) {
    for (const umask of [0o077, 0o000]) {
      const project = await openFile('#!/bin/sh\necho a\n');
      const { chmod } = await import('node:fs/promises');
      await chmod(join(project.root, 'f'), mode);
      const before = process.umask(umask);
      try {
        await project.call('edit', { file_path: 'f', old_string: 'echo a', new_string: 'echo b' });
      } finally {
        process.umask(before);
      }
      expect((await stat(join(project.root, 'f'))).mode & 0o777).toBe(mode);
      expect(await project.text('f')).toBe('#!/bin/sh\necho b\n');
    }
  }
});

test('WRITE-004: GBK round-trips through an edit', async () => {
  const project = await openFile(hex('c4 e3 ba c3 0a 61 0a'));
  await project.call('edit', { file_path: 'f', old_string: 'a', new_string: 'b' });
  expect(await project.bytes('f')).toEqual(hex('c4 e3 ba c3 0a 62 0a'));
});

test('WRITE-005: growing and shrinking edits keep the tail', async () => {
  const line = (index: number): string => `${index} ${index === 10 ? 'x' : 'y'}${'.'.repeat(140)}`;
  let lines = Array.from({ length: 1000 }, (_, index) => line(index + 1));
  const project = await openFile(`${lines.join('\n')}\nEND\n`);
  const check = async (): Promise<void> => {
    expect(await project.text('f')).toBe(`${lines.join('\n')}\nEND\n`);
  };
  await project.call('edit', {
    file_path: 'f',
    old_string: '10 x',
    new_string: `10 ${'é'.repeat(500)}`,
  });
  lines = lines.map((text) => text.replace(/^10 x/, `10 ${'é'.repeat(500)}`));
  await check();
  const doomed = `${lines.slice(100, 500).join('\n')}\n`;
  await project.call('edit', { file_path: 'f', old_string: doomed, new_string: '' });
  lines = [...lines.slice(0, 100), ...lines.slice(500)];
  await check();
  await project.call('edit', {
    file_path: 'f',
    old_string: 'y..',
    new_string: '中..',
    replace_all: true,
  });
  lines = lines.map((text) => text.replace('y..', '中..'));
  await check();
  const back = await project.call('edit', {
    file_path: 'f',
    old_string: '中',
    new_string: 'a',
    replace_all: true,
  });
  lines = lines.map((text) => text.replace('中', 'a'));
  await check();
  expect(back.metadata['replacement_count']).toBe(599);
});

test('CONC-001: two edits of one file in the same tick both land', async () => {
  const lines = Array.from({ length: 100 }, (_, index) => String(index + 1));
  for (let round = 0; round < 50; round += 1) {
    const project = await openFile(`${lines.join('\n')}\n`);
    const results = await Promise.all([
      project.call('edit', { file_path: 'f', old_string: '\n50\n', new_string: '\nFIFTY\n' }),
      project.call('edit', {
        file_path: 'f',
        old_string: '\n75\n',
        new_string: '\nSEVENTY-FIVE\n',
      }),
    ]);
    expect(results.map((result) => result.error)).toEqual([null, null]);
    const expected = lines.map((line) =>
      line === '50' ? 'FIFTY' : line === '75' ? 'SEVENTY-FIVE' : line,
    );
    expect(await project.text('f')).toBe(`${expected.join('\n')}\n`);
  }
});

test('20 parallel edits of one file all land', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}.`);
  const project = await openFile(lines.join('\n'));
  const results = await Promise.all(
    lines.map(async (line, index) =>
      project.call('edit', { file_path: 'f', old_string: line, new_string: `done ${index}.` }),
    ),
  );
  expect(results.every((result) => result.error === null)).toBe(true);
  expect(await project.text('f')).toBe(lines.map((_, index) => `done ${index}.`).join('\n'));
});

test('CONC-003: a write and an edit have some serial order', async () => {
  for (let round = 0; round < 10; round += 1) {
    const project = await openFile('v0\n');
    const [write, edit] = await Promise.all([
      project.call('write', { file_path: 'f', content: 'v1 one\n' }),
      project.call('edit', { file_path: 'f', old_string: 'v0', new_string: 'v2' }),
    ]);
    expect(write.error).toBeNull();
    expect(edit.error === null || edit.error.reason === 'no_match').toBe(true);
    expect(await project.text('f')).toBe('v1 one\n');
  }
});

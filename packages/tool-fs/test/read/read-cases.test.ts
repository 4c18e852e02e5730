import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { JsonValue, ToolResult } from '@toolwright/core';
import { expect, test } from 'vitest';
import { openFile, openProject } from '../open-project.ts';
import type { Project } from '../open-project.ts';

const range = (result: ToolResult): Record<string, JsonValue> => ({
  ...(result.metadata['range'] as object),
});

/** Text of the numbered rows of an output. */
function rowsOf(output: string): [number, string][] {
  return output
    .split('\n')
    .filter((row) => /^ *\d+\t/.test(row))
    .map((row) => [Number(row.slice(0, row.indexOf('\t'))), row.slice(row.indexOf('\t') + 1)]);
}

async function readRows(project: Project, args: object): Promise<ToolResult> {
  return project.call('read', { file_path: 'f', ...args });
}

/** Where a descriptor leads; the one of the listing itself is closed by then. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}

test('READ-003: a literal U+FFFD is text, NULs are binary', async () => {
  const source = 'let c = "\uFFFD"; // 中文 😀\n';
  const project = await openFile(source);
  const result = await readRows(project, {});
  expect(rowsOf(result.output)).toEqual([[1, source.trimEnd()]]);
  expect(result.metadata).toMatchObject({ encoding: 'utf-8' });
  expect(result.metadata['lossy']).toBeUndefined();
  const binary = await openFile(Buffer.from('808182fffe000102'.repeat(100), 'hex'));
  expect((await readRows(binary, {})).error).toMatchObject({
    type: 'unsupported',
    reason: 'binary',
    bytes: 800,
  });
});

test('READ-004: one stray byte is shown once and kept by edits', async () => {
  const source = Buffer.from('a line of plain text\n'.repeat(480));
  source[2 * 21 + 6] = 0x92;
  const project = await openFile(source);
  const result = await readRows(project, {});
  expect(result.metadata).toMatchObject({ encoding: 'utf-8', lossy: true });
  expect(rowsOf(result.output)[2]).toEqual([3, 'a line\uFFFDof plain text']);
  expect(result.output.split('\uFFFD')).toHaveLength(2);
  const edited = await project.call('edit', {
    file_path: 'f',
    old_string: 'a line\uFFFDof plain text\na line of',
    new_string: 'a line\uFFFDof plain text\na row of',
  });
  expect(edited.error).toBeNull();
  const expected = Buffer.from(
    source.toString('latin1').replace(/^((?:.*\n){3})a line/, '$1a row'),
    'latin1',
  );
  expect(await project.bytes('f')).toEqual(expected);
  const refused = await project.call('edit', {
    file_path: 'f',
    old_string: 'a line\uFFFDof plain text',
    new_string: 'a\uFFFD',
  });
  expect(refused.error).toMatchObject({ type: 'invalid_argument', reason: 'undecodable' });
  const mended = await project.call('edit', {
    file_path: 'f',
    old_string: 'a line\uFFFDof plain text',
    new_string: 'a line of plain text',
  });
  expect(mended.error).toBeNull();
  expect((await project.bytes('f')).includes(0x92)).toBe(false);
});

test('READ-005: a FIFO and a socket are refused at once', { timeout: 5_000 }, async () => {
  const project = await openProject({ directories: ['logs'] });
  execFileSync('mkfifo', [join(project.root, 'logs/live.pipe')]);
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(join(project.root, 'logs/s'), resolve);
  });
  try {
    const fifo = await project.call('read', { file_path: 'logs/live.pipe' });
    expect(fifo.error).toMatchObject({ type: 'invalid_argument', reason: 'not_a_file' });
    expect(fifo.error?.message).toMatch(/fifo/i);
    const socket = await project.call('read', { file_path: 'logs/s' });
    expect(socket.error).toMatchObject({ type: 'invalid_argument', reason: 'not_a_file' });
    expect(socket.error?.message).toMatch(/socket/i);
    const open = readdirSync('/proc/self/fd').map((fd) => linkOf(`/proc/self/fd/${fd}`));
    expect(open).not.toContain(join(project.root, 'logs/live.pipe'));
  } finally {
    server.close();
  }
});

test('READ-006: an endless device behind a link is refused', { timeout: 5_000 }, async () => {
  const project = await openProject({ links: { 'zero.txt': '/dev/zero' } });
  const result = await project.call('read', { file_path: 'zero.txt' });
  expect(result.error).toMatchObject({ type: 'permission_denied', reason: 'outside_workspace' });
});

test('READ-007: a line larger than the limit is read to its end by cursor', async () => {
  const source = `["${'x'.repeat(40_000)}TAIL"]`;
  const project = await openFile(source);
  let result = await readRows(project, { max_output_bytes: 10_000 });
  expect(range(result)).toMatchObject({ eof: false, next_offset: null, cut_lines: [1] });
  expect(result.output).toContain('read on with cursor');
  let text = '';
  for (let calls = 1; ; calls += 1) {
    expect(calls).toBeLessThan(20);
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(10_000);
    expect(rowsOf(result.output)).toHaveLength(1);
    text += rowsOf(result.output)[0]?.[1];
    const cursor = range(result)['next_cursor'];
    if (typeof cursor !== 'string') break;
    result = await readRows(project, { max_output_bytes: 10_000, cursor });
  }
  expect(text).toBe(source);
  expect(text.split('TAIL')).toHaveLength(2);
  expect(range(result)).toMatchObject({ eof: true, cut_lines: [] });
});

test('READ-009: a final newline starts no line', async () => {
  for (const [source, total] of [
    ['l1\nl2\n', 2],
    ['l1\nl2', 2],
    ['', 0],
    ['\n', 1],
  ] as const) {
    const project = await openFile(source);
    const result = await readRows(project, { limit: 2 });
    expect(range(result)).toMatchObject({
      total_lines: total,
      returned_lines: total,
      eof: true,
      next_offset: null,
      next_cursor: null,
    });
    expect(result.output).not.toContain('read on');
  }
});

test('READ-010: the offset is honoured, numbers are 1-based', async () => {
  const project = await openFile(
    Array.from({ length: 1000 }, (_, index) => `L${index + 1}\n`).join(''),
  );
  const tail = await readRows(project, { offset: 989, limit: 20 });
  expect(rowsOf(tail.output)).toEqual(
    Array.from({ length: 11 }, (_, index) => [990 + index, `L${990 + index}`]),
  );
  expect(tail.output.startsWith('   990\tL990\n')).toBe(true);
  const end = await readRows(project, { offset: 1000 });
  expect(range(end)).toMatchObject({ returned_lines: 0, eof: true, total_lines: 1000 });
  expect(end.error).toBeNull();
  const beyond = await readRows(project, { offset: 1001 });
  expect(beyond.error).toMatchObject({ type: 'invalid_argument', reason: 'out_of_range' });
  expect(beyond.error?.message).toContain('1000 lines');
  const start = await readRows(project, { offset: 0, limit: 1 });
  expect(rowsOf(start.output)).toEqual([[1, 'L1']]);
  expect(range(start)).toMatchObject({ next_offset: 1 });
});

test('TRUNC-003: a cut by bytes never splits a character', async () => {
  const project = await openFile('é中😀'.repeat(400));
  const seen = new Set<number>();
  for (let limit = 1024; limit < 1040; limit += 1) {
    const result = await readRows(project, { max_output_bytes: limit });
    const [[, text] = [0, '']] = rowsOf(result.output);
    expect(text).not.toContain('\uFFFD');
    expect('é中😀'.repeat(400).startsWith(text)).toBe(true);
    seen.add(Buffer.byteLength(text));
  }
  // Of nine bytes a triple, a cut is possible after two, five and nine.
  expect(Array.from(seen, (bytes) => bytes % 9).every((rest) => [0, 2, 5].includes(rest))).toBe(
    true,
  );
});

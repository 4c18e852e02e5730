import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost, memoryWorkspace } from '@toolwright/core';
import type { JsonObject, JsonValue, ToolResult } from '@toolwright/core';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fs } from '../../src/index.ts';
import { openProject } from '../open-project.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

async function withFiles<T>(
  files: Files,
  use: (read: (args: JsonObject) => Promise<ToolResult>) => Promise<T>,
): Promise<T> {
  const session = await createHost({ providers: [fs()] }).open({
    workspace: memoryWorkspace({ files }),
  });
  try {
    return await use(async (args) => session.tool('read', args));
  } finally {
    await session.close();
  }
}

interface Batch {
  readonly status: string;
  readonly truncated: boolean;
  readonly continuation: readonly JsonObject[];
  readonly results: readonly JsonObject[];
}

function batchOf(result: ToolResult): Batch {
  expect(result.error).toBeNull();
  const batch = result.metadata['batch'];
  // The tool's own metadata, whose shape the tests of this file hold.
  return batch as unknown as Batch;
}

/** Adds the rows of an answer to what is known of each file: text by line. */
function collect(output: string, lines: Map<string, string[]>): void {
  let file: string[] = [];
  for (const row of output.split('\n')) {
    const header = /^=== (.*) ===$/.exec(row)?.[1];
    if (header !== undefined) {
      file = lines.get(header) ?? [];
      lines.set(header, file);
      continue;
    }
    const match = /^ *(\d+)\t(.*)$/s.exec(row);
    if (match === null) continue;
    const index = Number(match[1]) - 1;
    file[index] = (file[index] ?? '') + (match[2] ?? '');
  }
}

const content = fc
  .array(fc.constantFrom('short', '', 'é'.repeat(50), 'word '.repeat(40), 'x'.repeat(2_500)), {
    maxLength: 12,
  })
  .map((lines) => lines.map((line) => `${line}\n`).join(''));

test(
  'all answers of a batch together are the full files, for any budget',
  { timeout: 20_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1_024, max: 6_000 }),
        async (contents, maxBytes) => {
          const files = Object.fromEntries(
            contents.map((text, index) => [`d/f${index}.txt`, text]),
          );
          await withFiles(files, async (read) => {
            const lines = new Map<string, string[]>();
            let next: readonly JsonValue[] = Object.keys(files).map((path) => ({ path }));
            for (let calls = 0; next.length > 0; calls += 1) {
              expect(calls).toBeLessThan(200);
              const result = await read({ files: next, max_output_bytes: maxBytes });
              expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(maxBytes);
              const batch = batchOf(result);
              expect(batch.truncated).toBe(batch.continuation.length > 0);
              expect(result.metadata['status']).toBe(batch.truncated ? 'partial' : 'complete');
              collect(result.output, lines);
              next = batch.continuation;
            }
            for (const [path, text] of Object.entries(files)) {
              expect(lines.get(path)).toEqual(text.split('\n').slice(0, -1));
            }
          });
        },
      ),
      { numRuns: 40 },
    );
  },
);

test('a complete batch', async () => {
  await withFiles({ 'a.txt': 'a1\na2\n', 'b.txt': '' }, async (read) => {
    const result = await read({ files: [{ path: 'a.txt' }, { path: 'b.txt' }] });
    expect(result.output).toBe(
      '=== a.txt ===\n     1\ta1\n     2\ta2\n\n=== b.txt ===\n[end of file: 0 lines]\n\n[complete: 2 files]\n',
    );
    expect(batchOf(result)).toMatchObject({
      status: 'complete',
      truncated: false,
      continuation: [],
      results: [
        {
          path: 'a.txt',
          ok: true,
          encoding: 'utf-8',
          eol: 'lf',
          range: { total_lines: 2, eof: true },
        },
        { path: 'b.txt', ok: true, range: { total_lines: 0, eof: true } },
      ],
    });
    expect(result.metadata['source_anchors']).toEqual(['a.txt', 'b.txt']);
  });
});

test('one member that fails leaves the others', async () => {
  await withFiles({ 'a.txt': 'a\n', 'z.bin': Buffer.from([0, 1, 2]) }, async (read) => {
    const result = await read({ files: [{ path: 'nope' }, { path: 'z.bin' }, { path: 'a.txt' }] });
    expect(result.exit_code).toBe(0);
    expect(result.metadata['status']).toBe('partial_failure');
    expect(batchOf(result)).toMatchObject({
      successful_files: 1,
      failed_files: 2,
      results: [
        { path: 'nope', ok: false, error: { type: 'not_found' } },
        { path: 'z.bin', ok: false, error: { type: 'unsupported', reason: 'binary' } },
        { path: 'a.txt', ok: true },
      ],
    });
    expect(result.output).toContain('=== nope ===\nnot_found: ');
  });
});

test('all members that fail are one failure, of their common type', async () => {
  await withFiles({ 'z.bin': Buffer.from([0]) }, async (read) => {
    const missing = await read({ files: [{ path: 'x' }, { path: 'y' }] });
    expect(missing).toMatchObject({
      exit_code: 1,
      error: { type: 'not_found', failed: 2, total: 2 },
    });
    const mixed = await read({ files: [{ path: 'x' }, { path: 'z.bin' }] });
    expect(mixed.error).toMatchObject({ type: 'partial_failure', failed: 2, total: 2 });
  });
});

test('an explicit limit that is served is done, a default one goes on', async () => {
  const long = Array.from({ length: 2_500 }, (_, index) => `${index}\n`).join('');
  await withFiles({ 'a.txt': long, 'b.txt': 'b\n' }, async (read) => {
    const limited = await read({
      files: [{ path: 'a.txt', offset: 5, limit: 3 }, { path: 'b.txt' }],
    });
    expect(batchOf(limited)).toMatchObject({ status: 'complete', truncated: false });
    expect(limited.output).toContain('     6\t5\n     7\t6\n     8\t7\n\n=== b.txt');
    const open = await read({ files: [{ path: 'a.txt' }, { path: 'b.txt' }] });
    expect(batchOf(open)).toMatchObject({
      status: 'partial',
      continuation: [{ path: 'a.txt', offset: 2_000 }, { path: 'b.txt' }],
    });
  });
});

test('what is not a batch is refused before anything is read', async () => {
  await withFiles({ 'a.txt': 'a\n' }, async (read) => {
    for (const args of [
      { files: [{ path: 'a.txt' }, { path: './a.txt' }] },
      { files: [] },
      { files: Array.from({ length: 33 }, (_, index) => ({ path: `f${index}` })) },
      { files: [{ path: 'a.txt', extra: 1 }] },
      { files: [{ path: 'a.txt' }], file_path: 'a.txt' },
      { files: [{ path: 'a.txt' }], offset: 3 },
      {},
    ]) {
      expect((await read(args)).error).toMatchObject({ type: 'invalid_argument' });
    }
  });
});

test('values that providers fill in for the other form are no errors', async () => {
  await withFiles({ 'a.txt': 'a\n' }, async (read) => {
    for (const args of [
      { file_path: 'a.txt', files: [], offset: 0, limit: 2_000, cursor: '' },
      { file_path: 'a.txt', files: null, offset: null, cursor: null },
      { file_path: '', files: [{ path: 'a.txt' }], offset: 0 },
    ]) {
      expect((await read(args)).error).toBeNull();
    }
  });
});

test('a budget too small for the list of what follows says so', async () => {
  const path = 'p'.repeat(1_000);
  await withFiles({ [path]: 'a\n', [`${path}2`]: 'b\n' }, async (read) => {
    const result = await read({ files: [{ path }, { path: `${path}2` }], max_output_bytes: 1_024 });
    expect(result.error).toMatchObject({ type: 'invalid_argument', reason: 'budget_too_small' });
  });
});

test('what cannot be opened fails in its own place, and the rest is read', async () => {
  const project = await openProject({
    files: { 'a.txt': 'a\n', '.env': 'SECRET=1\n', 'z.txt': 'z\n' },
    links: { out: '../outside/o.txt', dangling: 'nowhere' },
    directories: ['dir'],
  });
  await writeFile(join(project.outside, 'o.txt'), 'outside\n');
  const paths = [
    'a.txt',
    '../outside/o.txt',
    join(project.outside, 'o.txt'),
    'out',
    'dangling',
    '.env',
    'missing',
    'dir',
    'nul\0name',
    'z.txt',
  ];
  const files = paths.map((path) => ({ path }));
  const result = await project.session.invoke({ name: 'read', arguments: { files } });
  expect(result).toMatchObject({ exit_code: 0, error: null });
  expect(result.metadata['status']).toBe('partial_failure');
  expect(
    batchOf(result).results.map(({ path, ok, error }) => {
      const { type, reason } = (error ?? {}) as { type?: string; reason?: string };
      return [path, ok, type, reason];
    }),
  ).toEqual([
    ['a.txt', true, undefined, undefined],
    ['../outside/o.txt', false, 'permission_denied', 'outside_workspace'],
    [join(project.outside, 'o.txt'), false, 'permission_denied', 'outside_workspace'],
    ['out', false, 'permission_denied', 'outside_workspace'],
    ['dangling', false, 'permission_denied', 'outside_workspace'],
    ['.env', false, 'permission_denied', 'credential'],
    ['missing', false, 'not_found', undefined],
    ['dir', false, 'invalid_argument', 'not_a_file'],
    ['nul\0name', false, 'invalid_argument', 'bad_path'],
    ['z.txt', true, undefined, undefined],
  ]);
  expect(result.output).not.toMatch(/SECRET|outside\n/);
});

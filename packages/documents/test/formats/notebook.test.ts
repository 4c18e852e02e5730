import { describe, expect, test } from 'vitest';
import { notebookToText } from '../../src/index.ts';

const notebook = (cells: readonly object[], metadata: object = {}): string =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells });

test('cells with their marks, sources and text outputs', () => {
  const json = notebook(
    [
      { cell_type: 'markdown', source: ['# Title\n', 'text'] },
      {
        cell_type: 'code',
        source: 'print("hi")\n1 + 1',
        outputs: [
          { output_type: 'stream', name: 'stdout', text: ['hi\n'] },
          { output_type: 'execute_result', data: { 'text/plain': ['2'], 'image/png': 'AAAA' } },
          { output_type: 'error', ename: 'ValueError', evalue: 'no', traceback: ['\u001b[31mx'] },
        ],
      },
      { cell_type: 'raw', source: [] },
    ],
    { language_info: { name: 'julia' } },
  );
  expect(notebookToText(json)).toBe(
    [
      '--- cell 1 of 3 [markdown] ---',
      '# Title',
      'text',
      '',
      '--- cell 2 of 3 [code julia] ---',
      'print("hi")',
      '1 + 1',
      '--- output ---',
      'hi',
      '2',
      '[image/png not shown]',
      'ValueError: no',
      '',
      '--- cell 3 of 3 [raw] ---',
      '',
    ].join('\n'),
  );
});

test('format 3 with worksheets', () => {
  const json = JSON.stringify({
    nbformat: 3,
    worksheets: [{ cells: [{ cell_type: 'code', input: ['x = 1'], outputs: [] }] }],
  });
  expect(notebookToText(json)).toBe('--- cell 1 of 1 [code python] ---\nx = 1\n');
});

test('long outputs are cut at a character and say so', () => {
  const json = notebook([
    { cell_type: 'code', source: 'x', outputs: [{ output_type: 'stream', text: 'é'.repeat(50) }] },
  ]);
  expect(notebookToText(json, { maxOutputBytes: 9 })).toBe(
    `--- cell 1 of 1 [code python] ---\nx\n--- output ---\n${'é'.repeat(4)}\n[92 more bytes of output not shown]\n`,
  );
});

test('an empty notebook is empty text', () => {
  expect(notebookToText(notebook([]))).toBe('');
});

describe('what is no notebook is malformed', () => {
  test.each(['{', '[]', '{"cells": 3}', 'null', '"text"'])('%s', (json) => {
    expect(() => notebookToText(json)).toThrow(expect.objectContaining({ code: 'malformed' }));
  });
});

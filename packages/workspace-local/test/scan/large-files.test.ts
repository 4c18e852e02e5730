import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GrepRequest } from '@toolwright/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localWorkspace } from '../../src/local-workspace.ts';
import {
  FileScanner,
  type FileOutcome,
  type FileScanOptions,
} from '../../src/scan/file-scanner.ts';
import { ScannerMemory } from '../../src/scan/scanner-memory.ts';
import { createSearchPlan } from '../../src/scan/search-plan.ts';
import { ScanStopped } from '../../src/scan/text-matcher.ts';
import { grepRequest } from './grep-request.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'large-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const megabyte = 1 << 20;
const line = `${'nothing of interest '.repeat(50)}\n`;
/** More than a MiB of lines. */
const bulk = line.repeat(Math.ceil(megabyte / line.length) + 1);

function scan(
  name: string,
  options: Partial<FileScanOptions & { shouldStop: () => boolean; pattern: string }> = {},
): FileOutcome {
  const { shouldStop = () => false, pattern = 'needle', ...rest } = options;
  const plan = createSearchPlan({ pattern, literal: false, caseSensitive: true, multiline: false });
  const scanner = new FileScanner(new ScannerMemory(), plan, shouldStop);
  const all = { context: 0, maxMatches: 100, afterLine: 0, ...rest };
  return scanner.scanFile(join(root, name), all, () => true);
}

describe('a large file', () => {
  test('is left to others where that is asked, whatever it holds', () => {
    writeFileSync(join(root, 'large'), bulk);
    writeFileSync(join(root, 'small'), `${line}needle\n`);
    expect(scan('large', { leavesLarge: true })).toEqual({ kind: 'large' });
    expect(scan('large')).toEqual({ kind: 'none' });
    expect(scan('small', { leavesLarge: true })).toMatchObject({ kind: 'found', totalLines: 1 });
  });

  test.each(['needle', '[q-z]{9}\\d'])('can be stopped between its windows: %s', (pattern) => {
    const file = openSync(join(root, 'large'), 'w');
    for (let i = 0; i < 8; i += 1) writeSync(file, bulk);
    closeSync(file);
    let asked = 0;
    const shouldStop = () => {
      asked += 1;
      return asked > 3;
    };
    expect(() => scan('large', { pattern, shouldStop })).toThrow(ScanStopped);
  });

  test('with a hole is binary from there on: a GiB of zeros is no line', () => {
    writeFileSync(join(root, 'quiet'), bulk);
    truncateSync(join(root, 'quiet'), 1 << 30);
    expect(scan('quiet')).toEqual({ kind: 'none' });
    writeFileSync(join(root, 'matched'), `needle\n${bulk}`);
    truncateSync(join(root, 'matched'), 1 << 30);
    expect(scan('matched')).toEqual({ kind: 'not_searched', reason: 'binary' });
  });

  test('among small ones gives its lines in their place, on every page', async () => {
    for (const name of ['a', 'b', 'd', 'e'])
      writeFileSync(join(root, name), 'needle 1\nneedle 2\n');
    writeFileSync(join(root, 'c'), `needle 1\n${bulk}needle 2\n`);
    const { search, close } = localWorkspace(root);
    if (search === undefined) throw new TypeError('no search');
    const grep = async (options: Partial<GrepRequest>) => {
      const found = await search.grep(
        grepRequest('needle', { literal: true, limit: 100, ...options }),
      );
      return {
        more: found.more,
        rows: found.files.flatMap(({ path, lines }) => lines.map(({ text }) => path + text.at(-1))),
      };
    };
    const all = ['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2', 'e1', 'e2'];
    expect(await grep({})).toEqual({ more: false, rows: all });
    expect(await grep({ limit: 5 })).toEqual({ more: true, rows: all.slice(0, 5) });
    const after = { path: 'c', line: 1 };
    expect(await grep({ limit: 3, after })).toEqual({ more: true, rows: all.slice(5, 8) });
    expect(await grep({ path: 'c' })).toEqual({ more: false, rows: ['c1', 'c2'] });
    await close();
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as Pool from '../../src/scan/scan-pool.ts';
import type { ItemResult, ScanItem, ScanJob } from '../../src/scan/scan-job.ts';
import { ScanPool as SourcePool } from '../../src/scan/scan-pool.ts';
import { createSearchPlan, type PatternOptions } from '../../src/scan/search-plan.ts';
import { buildFiles } from '../built-files.ts';

/** Threads run built files: this Node runs no TypeScript. */
let built = '';
let root = '';
let ScanPool: typeof Pool.ScanPool;

beforeAll(async () => {
  built = buildFiles();
  root = mkdtempSync(join(tmpdir(), 'scan-tree-'));
  const url = pathToFileURL(join(built, 'scan/scan-pool.js')).href;
  // The module that was just built from the source whose type this is.
  ({ ScanPool } = (await import(url)) as typeof Pool);
  for (let i = 0; i < 1200; i += 1) {
    const directory = join(root, `d${i % 60}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `f${i}`), `line ${i}\nneedle ${i % 7}\n${'x'.repeat(5000)}\n`);
  }
}, 60_000);

afterAll(() => {
  rmSync(built, { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
});

const jobOf = (pattern: string, options: Partial<ScanJob & PatternOptions> = {}): ScanJob => ({
  root,
  start: '',
  plan: createSearchPlan({ pattern, literal: false, caseSensitive: true, multiline: false }),
  include: undefined,
  hidden: true,
  ignore: true,
  undecoded: undefined,
  gather: 'lines',
  context: 0,
  limit: 10_000,
  after: undefined,
  deadlineAt: Date.now() + 20_000,
  leavesLarge: false,
  ...options,
});

const items: readonly ScanItem[] = Array.from({ length: 60 }, (_, i) => ({
  kind: 'directory',
  path: `d${i}`,
}));

describe('threads', () => {
  test('find together what one finds alone, and are warm for the next search', async () => {
    const pool = new ScanPool();
    for (const pattern of ['needle 3', 'line \\d*5$', 'nothing']) {
      const results = await pool.run(jobOf(pattern), items, undefined);
      const files = [...(results ?? new Map<number, ItemResult>()).values()].flatMap(
        (result) => result.files,
      );
      const expected = Array.from({ length: 1200 }, (_, i) => i).filter((i) =>
        pattern === 'needle 3' ? i % 7 === 3 : pattern === 'nothing' ? false : i % 10 === 5,
      );
      const paths = expected.map((i) => `d${i % 60}/f${i}`);
      expect(new Set(files.map(({ path }) => path))).toEqual(new Set(paths));
      expect(files).toHaveLength(paths.length);
    }
    await pool.close();
  });

  test('stop when cancelled, and serve the next search', async () => {
    const pool = new ScanPool();
    await pool.run(jobOf('x'), items, undefined);
    const controller = new AbortController();
    const many = Array.from({ length: 200 }, () => items).flat();
    const search = pool.run(jobOf('(x+x+)+y'), many, controller.signal);
    const began = performance.now();
    controller.abort(new Error('enough'));
    await expect(search).rejects.toThrow('enough');
    expect(performance.now() - began).toBeLessThan(2000);
    expect((await pool.run(jobOf('needle'), items, undefined))?.size).toBe(60);
    await pool.close();
  });

  test('give what they have at the deadline, and name what is left', async () => {
    const pool = new ScanPool();
    await pool.run(jobOf('x'), items, undefined);
    const results = await pool.run(jobOf('needle', { deadlineAt: Date.now() }), items, undefined);
    const reasons = [...(results ?? new Map<number, ItemResult>()).values()].flatMap(
      (result) => result.notSearched,
    );
    expect(reasons.length).toBeGreaterThan(0);
    expect(new Set(reasons.map(({ reason }) => reason))).toEqual(new Set(['deadline']));
    await pool.close();
  });

  test('do not keep rows that no page can hold', async () => {
    const pool = new ScanPool();
    const results = await pool.run(jobOf('needle', { limit: 5 }), items, undefined);
    const files = items.flatMap((_, index) => results?.get(index)?.files ?? []);
    expect(files).toHaveLength(1200);
    expect(files.slice(0, 5).every(({ lines }) => lines.length === 1)).toBe(true);
    // Threads look now and then at what others have found: some rows more than the page holds, and not all.
    expect(files.filter(({ lines }) => lines.length > 0).length).toBeLessThan(600);
    await pool.close();
  });

  test('from TypeScript source there are none, and the caller is told so', async () => {
    const pool = new SourcePool();
    const results = await pool.run(jobOf('needle'), items, undefined);
    // A Node that runs TypeScript by itself has threads here too.
    expect(results === undefined || results.size === 60).toBe(true);
    await pool.close();
  });
});

import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FoundFiles } from '../../src/gram-index/candidate-source.ts';
import { gramQuery } from '../../src/gram-index/gram-query.ts';
import { IndexThread as SourceThread } from '../../src/gram-index/index-thread.ts';
import type * as Thread from '../../src/gram-index/index-thread.ts';
import { countOf, entriesAt, pathAt } from '../../src/gram-index/path-list.ts';
import { createSearchPlan } from '../../src/scan/search-plan.ts';
import { buildFiles } from '../built-files.ts';

let built = '';
let root = '';
let IndexThread: typeof Thread.IndexThread;

beforeAll(async () => {
  built = buildFiles();
  root = realpathSync(mkdtempSync(join(tmpdir(), 'index-thread-')));
  const url = pathToFileURL(join(built, 'gram-index/index-thread.js')).href;
  // The module that was just built from the source whose type this is.
  ({ IndexThread } = (await import(url)) as typeof Thread);
  for (let i = 0; i < 300; i += 1) {
    mkdirSync(join(root, `d${i % 7}`), { recursive: true });
    writeFileSync(
      join(root, `d${i % 7}/f${i}`),
      `${(i * 7_919_919).toString(36)} is what this file has and ${i} its number\n`,
    );
  }
}, 60_000);

afterAll(() => {
  rmSync(built, { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
});

function queryFor(pattern: string) {
  const plan = createSearchPlan({ pattern, literal: true, caseSensitive: true, multiline: false });
  const grams = gramQuery(plan.required);
  if (grams === undefined) throw new TypeError('The pattern has no grams.');
  return { start: '', include: undefined, exclude: undefined, hidden: true, grams };
}

function pathsOf(found: FoundFiles | undefined): string[] {
  return found === undefined ? [] : Array.from(found.rows, (row) => pathAt(found.list, row));
}

async function foundBy(answer: Promise<FoundFiles | undefined>): Promise<FoundFiles> {
  const found = await answer;
  if (found === undefined) throw new TypeError('There was no answer.');
  return found;
}

describe.runIf(process.platform === 'linux')('an index in a thread', () => {
  test('answers once the tree was walked, and follows it', async () => {
    const thread = new IndexThread(root);
    const word = (123 * 7_919_919).toString(36);
    const query = queryFor(`${word} is`);
    const ask = async (path: string) => {
      const paths = pathsOf(await thread.candidates(query));
      // Some files hold all grams of the query by chance.
      return paths.includes(path) && paths.length < 60;
    };
    const soon = { interval: 20, timeout: 30_000 };
    await expect.poll(async () => ask('d4/f123'), soon).toBe(true);
    appendFileSync(join(root, 'd5/f5'), `${word} is here too\n`);
    await expect.poll(async () => ask('d5/f5'), soon).toBe(true);
    symlinkSync('d0', join(root, 'link'));
    const named = { ...query, include: '{d5/f5,link,d1/f*[05]0}' };
    const kindOf = (path: string) => (path === 'link' ? 'symlink' : 'file');
    const entries = await foundBy(thread.entries(named));
    expect(entriesAt(entries.list, entries.rows)).toEqual(
      ['d1/f50', 'd5/f5', 'link'].map((path) => ({ path, kind: kindOf(path) })),
    );
    // The paths cross once; then only their places do, until there are others.
    const again = await foundBy(thread.candidates(query));
    expect(again.list).toBe(entries.list);
    unlinkSync(join(root, 'link'));
    writeFileSync(join(root, 'd1/f9950'), '');
    const other = await foundBy(thread.entries(named));
    expect(pathsOf(other)).toEqual(['d1/f50', 'd1/f9950', 'd5/f5']);
    expect(pathsOf(again)).toContain('d4/f123');
    expect(countOf(again.list)).toBe(301);
    expect(countOf(other.list)).toBe(301);
    await thread.close();
    expect(await thread.candidates(query)).toBeUndefined();
    await thread.close();
  });

  test('has no answer where threads cannot be started', async () => {
    const thread = new SourceThread(root);
    expect(await thread.candidates(queryFor('number'))).toBeUndefined();
    await thread.close();
  });
});

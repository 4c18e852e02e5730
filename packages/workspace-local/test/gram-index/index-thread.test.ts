import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gramQuery } from '../../src/gram-index/gram-query.ts';
import { IndexThread as SourceThread } from '../../src/gram-index/index-thread.ts';
import type * as Thread from '../../src/gram-index/index-thread.ts';
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

describe.runIf(process.platform === 'linux')('an index in a thread', () => {
  test('answers once the tree was walked, and follows it', async () => {
    const thread = new IndexThread(root);
    const word = (123 * 7_919_919).toString(36);
    const query = queryFor(`${word} is`);
    const ask = async (path: string) => {
      const paths = (await thread.candidates(query))?.paths;
      // Some files hold all grams of the query by chance.
      return paths !== undefined && paths.includes(path) && paths.length < 60;
    };
    const soon = { interval: 20, timeout: 30_000 };
    await expect.poll(async () => ask('d4/f123'), soon).toBe(true);
    appendFileSync(join(root, 'd5/f5'), `${word} is here too\n`);
    await expect.poll(async () => ask('d5/f5'), soon).toBe(true);
    symlinkSync('d0', join(root, 'link'));
    const entries = await thread.entries({ ...query, include: '{d5/f5,link,d1/f*[05]0}' });
    expect(entries).toEqual(
      ['d1/f50', 'd5/f5', 'link'].map((path) => ({
        path,
        kind: path === 'link' ? 'symlink' : 'file',
      })),
    );
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

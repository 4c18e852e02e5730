import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import MiniSearch from 'minisearch';
import { describe, expect, test } from 'vitest';
import { PassageIndex } from '../../src/bm25/passage-index.ts';
import { isStopWord } from '../../src/text/stop-words.ts';
import { tokensOf } from '../../src/text/token-scanner.ts';

/** The sources of undici, as they are installed, and questions whose answers are known. */
const require = createRequire(import.meta.url);
const lib = join(dirname(require.resolve('undici/package.json')), 'lib');
const files = readdirSync(lib, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.js') && !path.startsWith('llhttp/'))
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join(lib, path), 'utf8') }));
const questions = readFileSync(new URL('./questions.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [query = '', answers = ''] = line.split(' => ');
    return { query, answers: answers.split(' ') };
  });

type Ranker = (query: string) => readonly string[];
const distinct = (paths: readonly string[]) => [...new Set(paths)].slice(0, 5);

const ours = ((): Ranker => {
  const index = new PassageIndex();
  const indexed = files.map(({ path, text }) => index.add({ path, token: '', sha256: '' }, text));
  return (query) => {
    const terms = [...new Set(tokensOf(query))].filter((term) => !isStopWord(term));
    return distinct(
      index.rank(terms, indexed, { limit: 10, perFile: 2 }).map(({ file }) => file.path),
    );
  };
})();

const miniSearch = ((): Ranker => {
  const index = new MiniSearch<{ id: number; path: string; text: string }>({
    fields: ['text'],
    storeFields: ['path'],
  });
  let id = 0;
  for (const { path, text } of files) {
    const lines = text.split('\n');
    for (let i = 0; i < lines.length; i += 80) {
      index.add({ id, path, text: lines.slice(i, i + 80).join('\n') });
      id += 1;
    }
  }
  return (query) => distinct(index.search(query).map((result) => String(result['path'])));
})();

/** Files by how many of their lines hold some word of the query, as one would count with ripgrep. */
const counting: Ranker = (query) => {
  const words = query.split(' ');
  return files
    .map(({ path, text }) => ({
      path,
      count: text
        .split('\n')
        .filter((line) => words.some((word) => line.toLowerCase().includes(word))).length,
    }))
    .toSorted((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1))
    .slice(0, 5)
    .map(({ path }) => path);
};

function hits(rank: Ranker): { at1: number; at5: number } {
  const count = (depth: number) =>
    questions.filter(({ query, answers }) =>
      rank(query)
        .slice(0, depth)
        .some((path) => answers.includes(path)),
    ).length;
  return { at1: count(1) / questions.length, at5: count(5) / questions.length };
}

describe('relevance of bm25', () => {
  test('every answer exists', () => {
    const paths = new Set(files.map(({ path }) => path));
    expect(questions.length).toBeGreaterThanOrEqual(60);
    expect(questions.flatMap(({ answers }) => answers.filter((path) => !paths.has(path)))).toEqual(
      [],
    );
  });

  test('better than MiniSearch with its defaults, and than counting lines', () => {
    const [found, mini, counted] = [hits(ours), hits(miniSearch), hits(counting)];
    expect(found.at1).toBeGreaterThan(mini.at1);
    expect(found.at5).toBeGreaterThanOrEqual(mini.at5);
    expect(found.at1).toBeGreaterThan(counted.at1);
    expect(found.at5).toBeGreaterThan(counted.at5);
    expect(found.at5).toBeGreaterThanOrEqual(0.85);
  });
});

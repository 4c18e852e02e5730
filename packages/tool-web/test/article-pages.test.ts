import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderSnapshot } from '../src/page/render-snapshot.ts';
import { countMarkdownWords, countWords, scoreWords } from './support/words.ts';
import type { WordScore } from './support/words.ts';

interface KnownPage {
  readonly id: string;
  readonly url: string;
  readonly licence: string;
}

const FOLDER = new URL('pages/', import.meta.url);

function read(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

// The manifest is ours; the tests below read nothing else of it.
const PAGES = JSON.parse(read('pages.json')) as readonly KnownPage[];

const written = new Map<string, string>();

function toMarkdown(page: KnownPage): string {
  const markdown = written.get(page.id) ?? convert(page);
  written.set(page.id, markdown);
  return markdown;
}

function convert({ id, url }: KnownPage): string {
  const page = {
    url,
    status: 200,
    contentType: 'text/html',
    anchors: [url],
    body: { kind: 'html' as const, text: read(`${id}.html`), charset: 'utf-8' },
  };
  return renderSnapshot(page, { format: 'markdown', bodyOnly: true }).text;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

test(
  'forty article pages give their text and little else: F1 of words 0.995 on average',
  { timeout: 120_000 },
  () => {
    const scores: WordScore[] = [];
    const poor: string[] = [];
    for (const page of PAGES) {
      const score = scoreWords(
        countMarkdownWords(toMarkdown(page)),
        countWords(read(`${page.id}.txt`)),
      );
      scores.push(score);
      if (score.f1 < 0.97) {
        poor.push(`${page.id}: ${score.f1.toFixed(4)}`);
      }
    }
    expect(PAGES).toHaveLength(40);
    expect(poor).toEqual([]);
    expect(mean(scores.map(({ f1 }) => f1))).toBeGreaterThanOrEqual(0.995);
    expect(mean(scores.map(({ recall }) => recall))).toBeGreaterThanOrEqual(0.995);
  },
);

test('every page begins with its headline and names its licence', () => {
  for (const page of PAGES) {
    const [headline = ''] = read(`${page.id}.txt`).split('\n');
    const beginning = countWords(toMarkdown(page).slice(0, 2000));
    const missing = [...countWords(headline).keys()].filter((word) => !beginning.has(word));
    expect({ id: page.id, missing, isLicensed: page.licence !== '' }).toEqual({
      id: page.id,
      missing: [],
      isLicensed: true,
    });
  }
});

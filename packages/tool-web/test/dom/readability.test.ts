import { readFileSync } from 'node:fs';
import { Readability } from '@mozilla/readability';
import * as fc from 'fast-check';
import { JSDOM } from 'jsdom';
import { expect, test } from 'vitest';
import type { PageDocument } from '../../src/dom/page-document.ts';
import { looksLikeArticle } from '../../src/html/extract-article.ts';
import { parseHtml } from '../../src/html/parse-html.ts';

const FOLDER = new URL('../pages/', import.meta.url);

/** What Readability finds: in our tree, and in jsdom's, which follows the standard, of the same markup. */
function articles(html: string): { readonly ours: unknown; readonly theirs: unknown } {
  const { document } = parseHtml(html);
  // The standard drops a line break right after `<pre>`, and our tree keeps it: written twice, one is left.
  const markup = (document.documentElement?.outerHTML ?? '').replaceAll(
    /<pre[^>]*>(?=\n)/g,
    '$&\n',
  );
  return {
    ours: read(asDom(document)),
    theirs: read(new JSDOM(markup).window.document),
  };
}

function read(document: Document): unknown {
  const article = new Readability(document, { keepClasses: true }).parse();
  if (article === null) {
    return null;
  }
  const { title, byline, dir, lang, excerpt, siteName, textContent } = article;
  return { title, byline, dir, lang, excerpt, siteName, textContent };
}

/** As the source hands it to Readability. */
const asDom = (document: PageDocument): Document => document as unknown as Document;

// The manifest is ours; nothing else of it is read here.
const PAGES = JSON.parse(readFileSync(new URL('pages.json', FOLDER), 'utf8')) as readonly {
  readonly id: string;
}[];

test.each(PAGES)('the article of $id is the same as in another tree', ({ id }) => {
  const { ours, theirs } = articles(readFileSync(new URL(`${id}.html`, FOLDER), 'utf8'));
  expect(ours).toEqual(theirs);
  expect(ours).not.toBeNull();
});

const SENTENCE = 'A sentence, with commas, that says something of its own to whoever reads it. ';

test.each([
  ['lazy images', `<noscript><img src="a.jpg"></noscript><p>${SENTENCE.repeat(20)}</p>`],
  ['breaks for paragraphs', `<div>${`${SENTENCE}<br><br>`.repeat(20)}</div>`],
  ['fonts and centres', `<center><font size=2>${`<p>${SENTENCE}</p>`.repeat(20)}</font></center>`],
  ['tables for layout', `<table><tr><td>${`<p>${SENTENCE}</p>`.repeat(20)}</td></tr></table>`],
  ['hidden parts', `<p style="display:none">${SENTENCE}</p><p>${SENTENCE.repeat(20)}</p>`],
  [
    'little text, so that it is searched again',
    `<div class="comment sidebar"><p>${SENTENCE}</p></div>`,
  ],
  [
    'names of roles',
    `<div class="sidebar">${`<p>${SENTENCE}</p>`.repeat(20)}</div><footer>${SENTENCE}</footer>`,
  ],
  [
    'structured data',
    `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"H"}</script><p>${SENTENCE.repeat(20)}</p>`,
  ],
  [
    'scripts as links',
    `<p><a href="javascript:x()">a <b>c</b></a><a href="/y">y</a>${SENTENCE.repeat(20)}</p>`,
  ],
  ['nothing', ''],
])('%s: the same as in another tree', (_, html) => {
  const { ours, theirs } = articles(
    `<html lang=en><head><title>T</title></head><body>${html}</body></html>`,
  );
  expect(ours).toEqual(theirs);
});

test('property: any page gives the same article as in another tree', () => {
  const block = fc.constantFrom(
    `<p>${SENTENCE.repeat(3)}</p>`,
    `<p class="lead">${SENTENCE}</p>`,
    `<div class="comment"><p>${SENTENCE}</p></div>`,
    `<div>${SENTENCE.repeat(2)}<br><br>${SENTENCE}</div>`,
    '<ul><li><a href="/a">one</a></li><li><a href="/b">two</a></li></ul>',
    '<h2>A heading</h2>',
    '<div class="share"><a href="/s">share</a></div>',
    '<table><tr><th>a</th><td>b</td></tr></table>',
    '<figure><img src="a.png"><figcaption>Shown</figcaption></figure>',
    '<section><div><div><p>x</p></div></div></section>',
    '<pre><code>a  b</code></pre>',
  );
  const wrap = fc.constantFrom('main', 'article', 'div', 'section');
  const html = fc
    .array(fc.tuple(wrap, fc.array(block, { maxLength: 8 })), { maxLength: 5 })
    .map((parts) =>
      parts.map(([name, blocks]) => `<${name}>${blocks.join('\n')}</${name}>`).join(''),
    );
  fc.assert(
    fc.property(html, (body) => {
      const { ours, theirs } = articles(
        `<html><head><title>T</title></head><body>${body}</body></html>`,
      );
      expect(ours).toEqual(theirs);
    }),
    { numRuns: process.env['TOOLWRIGHT_LONG'] === undefined ? 60 : 2000 },
  );
});

test('what looks like an article', () => {
  const long = `<p>${SENTENCE.repeat(10)}</p>`;
  const looks = (html: string): boolean => looksLikeArticle(parseHtml(html).document);
  expect([
    looks(long),
    looks(`<li>${long}</li>`),
    looks(`<div>${SENTENCE.repeat(10)}<br>x</div>`),
    looks(`<p style="display: none">${SENTENCE.repeat(10)}</p>`),
    looks('<p>Short.</p>'),
    looks(long + '<b></b>'.repeat(40_000)),
  ]).toEqual([true, false, true, false, false, false]);
});

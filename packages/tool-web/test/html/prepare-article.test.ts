import { expect, test } from 'vitest';
import { parseHtml } from '../../src/html/parse-html.ts';
import { prepareArticle, restoreIdentifiers } from '../../src/html/prepare-article.ts';

function prepared(html: string): string {
  const { document, body } = parseHtml(html);
  prepareArticle(document);
  restoreIdentifiers(body);
  return body.innerHTML;
}

const LONG = 'A sentence that is text, and another one. '.repeat(8).trim();

test.each([
  '<section id="comments"><p>Nice!</p></section>',
  '<ol class="x comment-list"><li>Nice!</ol>',
  '<div id="disqus_thread">Nice!</div>',
  '<div id="respond"><form><p>Reply</p></form></div>',
])('remarks below an article are dropped: %s', (remarks) => {
  expect(prepared(`<p>${LONG}</p>${remarks}`)).toBe(`<p>${LONG}</p>`);
});

test.each([
  ['where most of the page is remarks', `<p>x</p><div id="comments"><p>${LONG}</p></div>`],
  ['where the article stands in them', `<div class="comments"><h1>x</h1></div><p>${LONG}</p>`],
  ['where the name only resembles', `<p>${LONG}</p><div id="comments-on-law"><p>x</p></div>`],
])('remarks stay %s', (_, html) => {
  expect(prepared(html)).toBe(html);
});

test.each([
  [
    'a list of the page’s other languages',
    '<p>Languages: <a href="/en">en</a> | <a href="/de" hreflang="de">de</a> | <a href="/fr" hreflang="fr">fr</a></p>',
    '',
  ],
  [
    'no text that links to other languages',
    `<p>${LONG} <a href="/de" hreflang="de">de</a> <a href="/fr" hreflang="fr">fr</a></p>`,
    `<p>${LONG} <a href="/de" hreflang="de">de</a> <a href="/fr" hreflang="fr">fr</a></p>`,
  ],
  [
    'a table of contents',
    '<ul><li><a href="#a">First part</a><ul><li><a href="#b">Second part</a></ul><li><a href="#c">Third part</a></ul>',
    '',
  ],
  [
    'no list of two',
    '<ul><li><a href="#a">First</a></li><li><a href="#b">Second</a></li></ul>',
    '<ul><li><a href="#a">First</a></li><li><a href="#b">Second</a></li></ul>',
  ],
  [
    'no list that says something beside its links',
    `<ul><li><a href="#a">a</a> ${LONG}</li><li><a href="#b">b</a></li><li><a href="#c">c</a></li></ul>`,
    `<ul><li><a href="#a">a</a> ${LONG}</li><li><a href="#b">b</a></li><li><a href="#c">c</a></li></ul>`,
  ],
  [
    'links to edit a section',
    '<h2>Use <span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2>',
    '<h2>Use </h2>',
  ],
])('%s', (_, html, expected) => {
  expect(prepared(`${html}<p>${LONG}</p>`)).toBe(`${expected}<p>${LONG}</p>`);
});

test('what is plainly text becomes a section, name and all', () => {
  expect(
    prepared(
      `<main><div class="section" id="s-security-headers"><span id="x"></span><h2>Security headers<a href="#x">¶</a></h2><p>${LONG}</p></div></main>`,
    ),
  ).toBe(
    `<main><section class="section" id="s-security-headers"><span id="x"></span><h2>Security headers<a href="#x">¶</a></h2><p>${LONG}</p></section></main>`,
  );
  expect(prepared('<article><aside class="admonition note"><p>Mind.</p></aside></article>')).toBe(
    '<article><section class="admonition note"><p>Mind.</p></section></article>',
  );
});

test.each([
  '<div id="page-header"><h1>Other words</h1></div>',
  '<div id="footer"><h2>Footer</h2></div>',
  '<aside class="note"><p>Outside of the main content.</p></aside>',
  '<main><aside class="topic"><a href="/x">Only links</a></aside></main>',
  '<main><aside class="sidebar"><p>x</p></aside></main>',
])('what may be something else stays as it is: %s', (html) => {
  expect(prepared(html)).toBe(html);
});

test('names on every level of a deep and large page cost one pass', { timeout: 60_000 }, () => {
  const depth = 380;
  const open = '<div class="comments note" id="a-b"><ul class="comment-list">'.repeat(depth / 2);
  const links = '<a href="#a" hreflang="x">a</a> '.repeat(5000);
  const { document, body } = parseHtml(`<main>${open}${links}${LONG.repeat(5000)}</main>`);
  prepareArticle(document);
  expect(body.textContent).toContain(LONG);
});

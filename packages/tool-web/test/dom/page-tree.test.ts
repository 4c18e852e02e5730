import * as fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { PageElement } from '../../src/dom/page-tree.ts';
import type { PageNode } from '../../src/dom/page-tree.ts';
import { parseTree } from '../../src/dom/parse-tree.ts';

const outlineOf = (node: PageNode): unknown =>
  node instanceof PageElement
    ? [
        node.localName,
        Object.fromEntries(node.attributes.map(({ name, value }) => [name, value])),
        ...node.childNodes.map(outlineOf),
      ]
    : node.textContent;

const outline = (html: string): unknown => parseTree(html).childNodes.map(outlineOf);

test('markup becomes a tree as it is written', () => {
  expect(
    outline('<P Class=a ID="x" class=b>one &amp; <b>two</b><!-- not seen --> three<br>'),
  ).toEqual([['p', { class: 'a', id: 'x' }, 'one & ', ['b', {}, 'two'], ' three', ['br', {}]]]);
  expect(outline('<!doctype html><?php x ?><script>a < b && "&amp;"</script><li>1<li>2')).toEqual([
    ['script', {}, 'a < b && "&amp;"'],
    ['li', {}, '1'],
    ['li', {}, '2'],
  ]);
  expect(outline('</p>x<svg><title>t</title></svg><unclosed')).toEqual([
    ['p', {}],
    'x',
    ['svg', {}, ['title', {}, 't']],
  ]);
});

test('of an element with a hundred thousand attributes the first 256 are kept', () => {
  const attributes = Array.from({ length: 100_000 }, (_, index) => `a${index}`).join(' ');
  const element = parseTree(`<p ${attributes}>x</p>`).firstElementChild;
  expect(element?.attributes.length).toBe(256);
  expect(element?.hasAttribute('a255')).toBe(true);
  expect(element?.textContent).toBe('x');
});

test('a deep tree is read without recursion', () => {
  const document = parseTree(`${'<b>'.repeat(100_000)}x`);
  expect(document.textContent).toBe('x');
  expect(document.querySelectorAll('b').length).toBe(100_000);
  for (const node of document.childNodes) {
    node.remove();
  }
  expect(document.textContent).toBe('');
});

test('what is nested beyond all measure is read in order, in time that grows with its length', () => {
  const source = `${'<i>'.repeat(200_000)}<p id=a>x</p>${'</i>'.repeat(200_000)}<p id=b>y</p>`;
  const document = parseTree(source);
  expect(document.textContent).toBe('xy');
  expect(document.querySelectorAll('i').length).toBe(200_000);
  expect(document.querySelectorAll('p').map(({ id }) => id)).toEqual(['a', 'b']);
});

test('XHTML ends empty elements where they say so, and has CDATA', () => {
  const source = '<p><a id="x"/>a<script/>b<![CDATA[<c>]]></p>';
  expect(parseTree(source, { isXml: true }).textContent).toBe('ab<c>');
  expect(parseTree('<p>a<script/>b</p>').querySelector('script')?.textContent).toBe('b');
});

test.each([
  ['p', ['p1', 'p2', 'p3']],
  ['P', ['p1', 'p2', 'p3']],
  ['p, pre', ['p1', 'p2', 'pre', 'p3']],
  ['*', ['ul', 'li', 'p1', 'div', 'p2', 'br', 'pre', 'section', 'p3', 'br2']],
  ['li p', ['p1', 'p2']],
  ['li > p', ['p1']],
  ['div > br', ['br']],
  ['ul p, section > p', ['p1', 'p2', 'p3']],
  ['[role]', ['div', 'pre']],
  ['[role="main"]', ['div']],
  ['div[role="main"]', ['div']],
  ['p[role="main"]', []],
  ['h1', []],
])('the selector %s finds %j', (selector, ids) => {
  const document = parseTree(
    '<ul id=ul><li id=li><p id=p1></p><div id=div role=main><p id=p2></p><br id=br></div><pre id=pre role=""></pre></li></ul><section id=section><p id=p3><br id=br2></p></section>',
  );
  expect(document.querySelectorAll(selector).map(({ id }) => id)).toEqual(ids);
  expect(document.querySelector(selector)?.id).toBe(ids[0]);
  const all = document.getElementsByTagName('*');
  expect(all.filter((element) => element.matches(selector)).map(({ id }) => id)).toEqual(ids);
});

test.each(['p:first-child', '.class', '#id', 'a + b', 'a[b^=c]', '', 'a,', '> a b >> c!'])(
  'the selector %j is refused, not misread',
  (selector) => {
    expect(() => parseTree('<p>').querySelectorAll(selector)).toThrow(TypeError);
  },
);

test('the nearest element around, itself included', () => {
  const inner = parseTree('<li id=a><b><li id=b><i></i></b>').querySelector('i');
  expect([inner?.closest('i')?.localName, inner?.closest('li')?.id, inner?.closest('u')]).toEqual([
    'i',
    'b',
    null,
  ]);
});

test.each([
  ['display: none', { display: 'none', visibility: '' }],
  ['color:red;DISPLAY:None', { display: 'none', visibility: '' }],
  ['visibility:hidden', { display: '', visibility: 'hidden' }],
  ['x-display: none', { display: '', visibility: '' }],
])('style %j', (style, expected) => {
  expect(parseTree(`<p style="${style}">`).querySelector('p')?.style).toEqual(expected);
});

test('markup is written so that it is read as the same tree', () => {
  const html =
    '<p class="a&quot;b&lt;" x="">a &amp;amp; b &lt;c&gt;\u00a0<br><img src="y"><b></b></p><script>a < b</script>';
  const body = parseTree(`<body>${html}`).querySelector('body');
  expect(body?.innerHTML).toBe(html.replace('\u00a0', '&nbsp;'));
});

/** Pieces of pages that mean something to the parser. */
const piece = fc.constantFrom(
  '<div class="a b">',
  '</div>',
  '<p id=x>',
  '</p>',
  '<span title="a&amp;b">',
  '</span>',
  '<ul><li>',
  '</ul>',
  '<br>',
  '<img src="a.png" alt="<">',
  'text ',
  ' & ',
  '&lt;b&gt;',
  '&nbsp;',
  '<script>if (a < b) {}</script>',
  '<table><tr><td>',
  '</table>',
  '<a href="/x">',
  '</a>',
);
const page = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

test('property: the same tree as that of linkedom, and written markup is read as the same again', () => {
  fc.assert(
    fc.property(page, (html) => {
      const body = parseTree(`<html><body>${html}</body></html>`).querySelector('body');
      const other = parseHTML(`<html><body>${html}</body></html>`).document;
      const names = (elements: Iterable<{ readonly localName: string }>): string[] =>
        [...elements].map(({ localName }) => localName);
      expect(body?.textContent).toBe(other.querySelector('body')?.textContent);
      expect(names(body?.querySelectorAll('*') ?? [])).toEqual(
        names(other.querySelectorAll('body *')),
      );
      const again = parseTree(`<body>${body?.innerHTML ?? ''}</body>`).querySelector('body');
      expect(again === null ? null : outlineOf(again)).toEqual(
        body === null ? null : outlineOf(body),
      );
    }),
  );
});

const step = fc.record({
  kind: fc.constantFrom('remove', 'append', 'insert', 'replace', 'markup'),
  at: fc.nat(200),
  to: fc.nat(200),
});

test('property: whatever is moved, links and texts stay true', () => {
  fc.assert(
    fc.property(page, fc.array(step, { maxLength: 25 }), (html, steps) => {
      const document = parseTree(`<main>${html}</main>`);
      for (const { kind, at, to } of steps) {
        const elements = document.querySelectorAll('main *');
        act(
          kind,
          elements[at % Math.max(elements.length, 1)],
          elements[to % Math.max(elements.length, 1)],
        );
        expect(unsound(document)).toEqual([]);
      }
    }),
  );
});

function act(kind: string, node: PageElement | undefined, target: PageElement | undefined): void {
  if (node === undefined || target === undefined) {
    return;
  }
  const isAround = contains(node, target);
  if (kind === 'remove') {
    node.remove();
  } else if (kind === 'markup') {
    const markup = target.innerHTML;
    target.innerHTML = markup;
  } else if (!isAround && kind === 'append') {
    target.appendChild(node);
  } else if (!isAround && kind === 'insert') {
    target.parentNode?.insertBefore(node, target);
  } else if (!isAround && kind === 'replace') {
    target.replaceWith(node);
  }
}

function contains(outer: PageNode, inner: PageNode): boolean {
  return outer === inner || outer.childNodes.some((child) => contains(child, inner));
}

/** The nodes whose links or texts are not true. */
function unsound(root: PageNode): readonly PageNode[] {
  const children = root.childNodes;
  const backwards: PageNode[] = [];
  for (let node = root.lastChild; node !== null; node = node.previousSibling) {
    backwards.unshift(node);
  }
  const isSound =
    backwards.length === children.length &&
    backwards.every((child, index) => child === children[index] && child.parentNode === root) &&
    root.textContent === slowText(root);
  return [...(isSound ? [] : [root]), ...children.flatMap(unsound)];
}

function slowText(node: PageNode): string {
  return node.nodeType === 3 ? node.textContent : node.childNodes.map(slowText).join('');
}

import type { PageElement, PageNode } from './page-tree.ts';

/** Elements without an end tag (HTML standard, "void elements"). */
const VOID_NAMES: ReadonlySet<string> = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'param',
  'source',
  'track',
  'wbr',
]);
/** Elements whose text the parser takes as it is, so that it is written as it is. */
const RAW_NAMES: ReadonlySet<string> = new Set(['script', 'style']);

/** An element as markup. The tree must not be deeper than the stack allows. */
export function serializeElement(element: PageElement): string {
  const { localName, attributes } = element;
  const written = attributes
    .map(({ name, value }) => ` ${name}="${escapeMarkup(value).replaceAll('"', '&quot;')}"`)
    .join('');
  const start = `<${localName}${written}>`;
  return VOID_NAMES.has(localName) && element.firstChild === null
    ? start
    : `${start}${serializeChildren(element)}</${localName}>`;
}

/** What an element holds, as markup. */
export function serializeChildren(parent: PageElement): string {
  let text = '';
  const isRaw = RAW_NAMES.has(parent.localName);
  for (let node: PageNode | null = parent.firstChild; node !== null; node = node.nextSibling) {
    if (isElement(node)) {
      text += serializeElement(node);
    } else {
      text += isRaw ? node.textContent : escapeMarkup(node.textContent);
    }
  }
  return text;
}

function isElement(node: PageNode): node is PageElement {
  return node.nodeType === 1;
}

function escapeMarkup(text: string): string {
  return /[&<>\u00a0]/u.test(text)
    ? text
        .replaceAll('&', '&amp;')
        .replaceAll('\u00a0', '&nbsp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
    : text;
}

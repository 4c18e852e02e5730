import type { PageDocument } from '../dom/page-document.ts';
import type { PageElement, PageNode } from '../dom/page-tree.ts';
import { parseTree } from '../dom/parse-tree.ts';
import type { ParseOptions } from '../dom/parse-tree.ts';

/** A parsed page with `html`, `head` and `body` in place, whatever the source left out. */
export interface HtmlPage {
  readonly document: PageDocument;
  readonly body: PageElement;
  /** Deepest nesting of elements in the source. */
  readonly depth: number;
}

/** Elements that belong to the head when they come before any content. */
const HEAD_NAMES: ReadonlySet<string> = new Set([
  'title',
  'meta',
  'link',
  'base',
  'style',
  'script',
  'template',
]);

/**
 * Parses HTML text without running anything in it.
 *
 * The parser keeps the tree as written; a browser would add the elements that may be left out. They are added here, so that a
 * fragment, a page without `<body>` and a whole page all give the same shape.
 */
export function parseHtml(source: string, options: ParseOptions = {}): HtmlPage {
  const document = parseTree(source, options);
  const root = [...document.childNodes].find(isHtmlElement) ?? document.createElement('html');
  const parts = [...document.childNodes].flatMap((node) => {
    if (node === root) {
      return [...root.childNodes];
    }
    return [node];
  });
  const head = parts.find((node) => isElementNamed(node, 'head')) ?? document.createElement('head');
  const body = parts.find((node) => isElementNamed(node, 'body')) ?? document.createElement('body');
  let inHead = true;
  let beforeBody = true;
  const leading: PageNode[] = [];
  for (const node of parts) {
    if (node === head) {
      continue;
    }
    if (node === body) {
      beforeBody = false;
      inHead = false;
      continue;
    }
    inHead &&= isHeadContent(node);
    if (inHead) {
      head.appendChild(node);
    } else if (beforeBody) {
      leading.push(node);
    } else {
      body.appendChild(node);
    }
  }
  for (const node of leading.toReversed()) {
    body.insertBefore(node, body.firstChild);
  }
  root.appendChild(head);
  root.appendChild(body);
  if (root.parentNode === null) {
    document.appendChild(root);
  }
  return { document, body, depth: depthOf(root) };
}

const TEXT = 3;

function isHtmlElement(node: PageNode): node is PageElement {
  return isElementNamed(node, 'html');
}

function isElementNamed(node: PageNode, name: string): node is PageElement {
  return node.nodeType === 1 && node.nodeName === name.toUpperCase();
}

function isHeadContent(node: PageNode): boolean {
  if (node.nodeType === TEXT) {
    return node.textContent.trim() === '';
  }
  return node.nodeType !== 1 || HEAD_NAMES.has(node.nodeName.toLowerCase());
}

/** Walks without recursion: hostile pages nest tens of thousands of elements. */
function depthOf(root: PageElement): number {
  let deepest = 0;
  let depth = 0;
  let node: PageNode | null = root;
  while (node !== null) {
    deepest = Math.max(deepest, depth);
    if (node.firstChild !== null) {
      node = node.firstChild;
      depth += 1;
      continue;
    }
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      depth -= 1;
    }
    node = node === null || node === root ? null : node.nextSibling;
  }
  return deepest;
}

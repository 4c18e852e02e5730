import { parseHTML } from 'linkedom';

/** A parsed page with `html`, `head` and `body` in place, whatever the source left out. */
export interface HtmlPage {
  readonly document: Document;
  readonly body: Element;
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
export function parseHtml(source: string): HtmlPage {
  const { document } = parseHTML(source);
  if (MIXED_CASE_ATTRIBUTE.test(source)) {
    lowerAttributeNames(document);
  }
  const root = [...document.childNodes].find(isHtmlElement) ?? document.createElement('html');
  const parts = [...document.childNodes].flatMap((node) => {
    if (node === root) {
      return [...root.childNodes];
    }
    return node.nodeType === DOCTYPE ? [] : [node];
  });
  const head = parts.find((node) => isElementNamed(node, 'head')) ?? document.createElement('head');
  const body = parts.find((node) => isElementNamed(node, 'body')) ?? document.createElement('body');
  let inHead = true;
  let beforeBody = true;
  const leading: Node[] = [];
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

/** A capital letter in an attribute's name; names are case-insensitive, yet the parser keeps them as written. */
const MIXED_CASE_ATTRIBUTE = /<[a-zA-Z][^<>]*\s[a-z-]*[A-Z][\w-]*\s*=/u;

function lowerAttributeNames(document: Document): void {
  for (const element of document.querySelectorAll('*')) {
    for (const name of element.getAttributeNames()) {
      const lower = name.toLowerCase();
      if (lower !== name) {
        const value = element.getAttribute(name) ?? '';
        element.removeAttribute(name);
        if (!element.hasAttribute(lower)) {
          element.setAttribute(lower, value);
        }
      }
    }
  }
}

const TEXT = 3;
const DOCTYPE = 10;

function isHtmlElement(node: Node): node is Element {
  return isElementNamed(node, 'html');
}

function isElementNamed(node: Node, name: string): node is Element {
  return node.nodeType === 1 && node.nodeName.toLowerCase() === name;
}

function isHeadContent(node: Node): boolean {
  if (node.nodeType === TEXT) {
    return (node.nodeValue ?? '').trim() === '';
  }
  return node.nodeType !== 1 || HEAD_NAMES.has(node.nodeName.toLowerCase());
}

/** Walks without recursion: hostile pages nest tens of thousands of elements. */
function depthOf(root: Element): number {
  let deepest = 0;
  let depth = 0;
  let node: Node | null = root;
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

import type { PageElement, PageNode, PageText } from '../dom/page-tree.ts';

/** Elements that begin and end a block of their own. */
export const BLOCK_NAMES: ReadonlySet<string> = new Set([
  'address',
  'article',
  'aside',
  'blockquote',
  'body',
  'center',
  'dd',
  'details',
  'dialog',
  'div',
  'dl',
  'dt',
  'fieldset',
  'figcaption',
  'figure',
  'footer',
  'form',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'header',
  'hgroup',
  'hr',
  'html',
  'legend',
  'li',
  'main',
  'menu',
  'nav',
  'ol',
  'p',
  'pre',
  'search',
  'section',
  'summary',
  'table',
  'tbody',
  'td',
  'tfoot',
  'th',
  'thead',
  'tr',
  'ul',
]);

/** Elements whose content is no text of the page. */
const SILENT_NAMES: ReadonlySet<string> = new Set([
  'area',
  'base',
  'button',
  'canvas',
  'datalist',
  'embed',
  'head',
  'iframe',
  'input',
  'link',
  'map',
  'meta',
  'object',
  'optgroup',
  'option',
  'param',
  'rp',
  'script',
  'select',
  'style',
  'svg',
  'template',
  'textarea',
  'track',
]);

const ELEMENT = 1;
const TEXT = 3;

/** Narrows to an element. */
export function isElement(node: PageNode): node is PageElement {
  return node.nodeType === ELEMENT;
}

/** Narrows to a text node. */
export function isText(node: PageNode): node is PageText {
  return node.nodeType === TEXT;
}

/** Whether an element shows nothing: scripts and controls, and what the page itself hides. */
export function isSilent(element: PageElement): boolean {
  if (SILENT_NAMES.has(element.localName)) {
    return true;
  }
  if (element.hasAttribute('hidden') || element.getAttribute('aria-hidden') === 'true') {
    return true;
  }
  const style = element.getAttribute('style');
  return style !== null && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/iu.test(style);
}

/** Whether an element shows nothing to this reader: `isSilent`, or content for those who run no scripts. */
export function isUnseen(
  element: PageElement,
  options: { readonly withNoscript: boolean },
): boolean {
  return isSilent(element) || (element.localName === 'noscript' && !options.withNoscript);
}

import type { PageElement } from '../dom/page-tree.ts';
import { BLOCK_NAMES, isElement, isText } from './element-kinds.ts';

/** Class names of what highlighters put beside code: line numbers and copy buttons. */
const NOISE =
  /(?:^|[\s_-])(?:line-?numbers?|lineno|linenos|gutter|copy(?:-?btn|-?button)?|clipboard)(?:$|[\s_-])/iu;
const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|brush:)[-\s]?([\w+#.-]+)/iu;

/** The code inside a `pre`, and its language where a class names one. */
export function readCode(pre: PageElement): { readonly code: string; readonly language: string } {
  const inner = codeElement(pre);
  const code = textOf(inner).replace(/^\n/u, '').replace(/\n+$/u, '');
  return { code, language: languageOf([inner, pre, pre.parentElement]) };
}

/** The one `code` inside, when there is exactly one: what stands around it are titles and buttons. */
function codeElement(pre: PageElement): PageElement {
  const codes = [...pre.querySelectorAll('code')];
  const [only] = codes;
  return codes.length === 1 && only !== undefined ? only : pre;
}

/** Text as displayed in preformatted mode: breaks are line ends, as are the borders of blocks. */
function textOf(element: PageElement): string {
  let text = '';
  for (const node of element.childNodes) {
    if (isText(node)) {
      text += node.data;
    } else if (isElement(node) && !isNoise(node)) {
      text += node.localName === 'br' ? '\n' : blockText(node, text);
    }
  }
  return text;
}

function blockText(element: PageElement, before: string): string {
  const inner = textOf(element);
  const isBlock = BLOCK_NAMES.has(element.localName) && element.localName !== 'td';
  if (!isBlock || inner === '') {
    return inner;
  }
  const start = before === '' || before.endsWith('\n') ? '' : '\n';
  return `${start}${inner}${inner.endsWith('\n') ? '' : '\n'}`;
}

function isNoise(element: PageElement): boolean {
  return (
    ['button', 'script', 'style', 'svg'].includes(element.localName) ||
    NOISE.test(element.getAttribute('class') ?? '')
  );
}

function languageOf(elements: readonly (PageElement | null)[]): string {
  for (const element of elements) {
    const named =
      element?.getAttribute('data-lang') ??
      element?.getAttribute('data-language') ??
      LANGUAGE.exec(element?.getAttribute('class') ?? '')?.[1];
    if (named !== undefined && /^[\w+#.-]{1,30}$/u.test(named)) {
      return named;
    }
  }
  return '';
}

import type { PageDocument } from '../dom/page-document.ts';
import type { PageElement } from '../dom/page-tree.ts';
import { isElement, isUnseen } from './element-kinds.ts';
import { extractArticle, looksLikeArticle } from './extract-article.ts';
import { flattenText } from './flatten-text.ts';
import { writeMarkdown } from './markdown-writer.ts';
import { parseHtml } from './parse-html.ts';
import type { HtmlPage } from './parse-html.ts';
import { baseOf, resolveUrl } from './resolve-url.ts';

/** What a page is turned into. */
export type PageFormat = 'markdown' | 'text' | 'html';

/** How a page is converted. */
export interface ConvertOptions {
  /** The URL that answered: links are relative to it. */
  readonly url: string;
  readonly format: PageFormat;
  /** Only the main content. */
  readonly bodyOnly: boolean;
  /** The page is XHTML, served as such. Default false. */
  readonly isXml?: boolean;
}

/** A converted page. */
export interface ConvertedPage {
  readonly text: string;
  readonly title: string;
  /** What the page calls itself on the page: its headline, else the title. */
  readonly heading: string;
  /** The page has little text of its own and scripts that may bring more. */
  readonly isThin: boolean;
  /** The page is nested so deeply that only its text was taken. */
  readonly isFlattened: boolean;
}

/** Deeper trees are flattened: writing them would need more stack than there is. */
const MAX_DEPTH = 400;
/** Characters of text under which a page with scripts counts as thin. */
const THIN_CHARACTERS = 200;

/** Turns an HTML page into text for a model. Nothing in the page is run or loaded. */
export function convertPage(source: string, options: ConvertOptions): ConvertedPage {
  const page = parseHtml(source, options);
  const title = oneLine(page.document.querySelector('title'));
  const heading = headlineOf(page.document, title) || title;
  const hasScripts = page.document.querySelector('script') !== null;
  if (page.depth > MAX_DEPTH) {
    const text = flattenText(page.body);
    return { text, title, heading, isThin: false, isFlattened: true };
  }
  const baseUrl = baseOf(page.document, options.url);
  const isArticle = options.bodyOnly && looksLikeArticle(page.document);
  const text =
    (isArticle ? writeArticle(page, baseUrl, options.format) : undefined) ??
    writeBody(isArticle ? parseHtml(source, options) : page, baseUrl, options);
  const isThin = hasScripts && text.length < THIN_CHARACTERS;
  return { text, title, heading, isThin, isFlattened: false };
}

/** The heading with which the page's title begins; else the `h1` where there is exactly one; else the title. */
function headlineOf(document: PageDocument, title: string): string {
  const headings = [...document.querySelectorAll('h1, h2')].map((element) => ({
    isFirst: element.localName === 'h1',
    text: oneLine(element),
  }));
  const named = headings.find(
    ({ text }) => text !== '' && title.toLowerCase().startsWith(text.toLowerCase()),
  );
  const first = headings.filter(({ isFirst }) => isFirst);
  return named?.text ?? (first.length === 1 ? first[0]?.text : undefined) ?? title;
}

/** The text of a heading without the mark that links to it. */
function oneLine(element: PageElement | null | undefined): string {
  return (element?.textContent ?? '')
    .replaceAll(/\s+/gu, ' ')
    .replace(/\s?[¶§]$/u, '')
    .trim();
}

function writeArticle(page: HtmlPage, baseUrl: string, format: PageFormat): string | undefined {
  const article = extractArticle(page.document, baseUrl);
  const text =
    article === undefined ? '' : write(article, { baseUrl, format, withNoscript: false });
  return text === '' ? undefined : text;
}

function writeBody(page: HtmlPage, baseUrl: string, { format, bodyOnly }: ConvertOptions): string {
  const root = bodyOnly ? mainOf(page) : page.body;
  const text = write(root, { baseUrl, format, withNoscript: false });
  // What a page shows without scripts matters only where little else is there.
  return text.length < THIN_CHARACTERS
    ? write(root, { baseUrl, format, withNoscript: true })
    : text;
}

/** The `main` element where there is one, else the body without navigation, unless that is all there is. */
function mainOf({ document, body }: HtmlPage): PageElement {
  const main = document.querySelector('main, [role="main"]');
  if (main !== null && main.textContent.trim() !== '') {
    return main;
  }
  const navigation = [...body.querySelectorAll('nav, [role="navigation"]')];
  const navigationText = navigation.reduce(
    (sum, element) => sum + element.textContent.trim().length,
    0,
  );
  if (navigationText * 2 < body.textContent.trim().length) {
    for (const element of navigation) {
      element.remove();
    }
  }
  return body;
}

function write(
  root: PageElement,
  options: {
    readonly baseUrl: string;
    readonly format: PageFormat;
    readonly withNoscript: boolean;
  },
): string {
  const { baseUrl, format, withNoscript } = options;
  if (format === 'html') {
    return writeHtml(root, baseUrl, withNoscript);
  }
  return writeMarkdown(root, { baseUrl, withNoscript, isPlain: format === 'text' });
}

/** The HTML of an element without what runs or is not shown, and with absolute addresses. */
function writeHtml(root: PageElement, baseUrl: string, withNoscript: boolean): string {
  for (const element of root.querySelectorAll('*')) {
    if (isUnseen(element, { withNoscript })) {
      element.remove();
      continue;
    }
    for (const name of element.getAttributeNames()) {
      if (/^on|^style$|^srcdoc$/iu.test(name)) {
        element.removeAttribute(name);
      } else if (name === 'href' || name === 'src') {
        const url = resolveUrl(element.getAttribute(name), baseUrl);
        if (url === undefined) {
          element.removeAttribute(name);
        } else {
          element.setAttribute(name, url);
        }
      }
    }
  }
  return [...root.childNodes]
    .filter((node) => isElement(node) || node.nodeType === 3)
    .map((node) => (isElement(node) ? node.outerHTML : node.textContent))
    .join('')
    .trim();
}

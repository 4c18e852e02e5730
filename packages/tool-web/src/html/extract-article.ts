import { isProbablyReaderable, Readability } from '@mozilla/readability';
import { prepareArticle, restoreIdentifiers } from './prepare-article.ts';

/** Elements beyond which a page is not searched for its article; scoring them takes seconds. */
const MAX_ELEMENTS = 40_000;

/**
 * Whether a page looks as if it had one main text. Lists, forms and short notes do not, and very large pages are not searched: for
 * these the whole body is better than a guess.
 */
export function looksLikeArticle(document: Document): boolean {
  return document.querySelectorAll('*').length <= MAX_ELEMENTS && isProbablyReaderable(document);
}

/**
 * Finds the main content with Mozilla's Readability; `undefined` when it finds none. The document is used up: it cannot be read again
 * afterwards.
 */
export function extractArticle(document: Document): Element | undefined {
  prepareArticle(document);
  const reader = new Readability<Element>(document, { serializer: toElement, keepClasses: true });
  const article = reader.parse()?.content ?? undefined;
  if (article !== undefined) {
    restoreIdentifiers(article);
  }
  return article;
}

/** Spares serialising the tree and parsing it again. */
function toElement(node: Node): Element {
  if (node.nodeType !== 1) {
    throw new TypeError('The content of an article is an element.');
  }
  // Checked above: a node of type 1 is an element.
  return node as Element;
}

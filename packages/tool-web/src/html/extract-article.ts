import { isProbablyReaderable, Readability } from '@mozilla/readability';
import { PageElement } from '../dom/page-tree.ts';
import type { PageDocument } from '../dom/page-document.ts';
import { prepareArticle, restoreIdentifiers } from './prepare-article.ts';

/** Elements beyond which a page is not searched for its article; scoring them takes seconds. */
const MAX_ELEMENTS = 40_000;

/**
 * Whether a page looks as if it had one main text. Lists, forms and short notes do not, and very large pages are not searched: for
 * these the whole body is better than a guess.
 */
export function looksLikeArticle(document: PageDocument): boolean {
  return (
    document.querySelectorAll('*').length <= MAX_ELEMENTS && isProbablyReaderable(asDom(document))
  );
}

/**
 * Finds the main content with Mozilla's Readability, its links relative to `baseUrl`; `undefined` when it finds none. The document is
 * used up: it cannot be read again afterwards.
 */
export function extractArticle(document: PageDocument, baseUrl: string): PageElement | undefined {
  prepareArticle(document);
  document.baseURI = baseUrl;
  const reader = new Readability<PageElement>(asDom(document), {
    serializer: toElement,
    keepClasses: true,
  });
  const article = reader.parse()?.content ?? undefined;
  if (article !== undefined) {
    restoreIdentifiers(article);
  }
  return article;
}

/** The tree has all that Readability asks of a browser's, though not all that its types would let it ask. */
function asDom(document: PageDocument): Document {
  // See above; the tests compare what it finds with what it finds in another tree.
  return document as unknown as Document;
}

/** Spares serialising the tree and parsing it again. */
function toElement(node: unknown): PageElement {
  if (!(node instanceof PageElement)) {
    throw new TypeError('The content of an article is an element.');
  }
  return node;
}

import type { PageDocument } from '../dom/page-document.ts';
import type { PageElement } from '../dom/page-tree.ts';
import { isElement } from './element-kinds.ts';
import { weighElements } from './weigh-elements.ts';
import type { Weight } from './weigh-elements.ts';

/** Where an identifier waits while the article is searched. */
const KEPT_ID = 'data-kept-id';

/** What pages call the part below an article in which their readers answer. */
const REMARKS: ReadonlySet<string> = new Set([
  'comment-list',
  'commentlist',
  'comments',
  'comments-area',
  'disqus_thread',
  'respond',
  'webmentions',
]);

/** Notes that belong to the text around them. */
const NOTE = /\b(?:admonition|callout|note|tip|topic|warning)\b/iu;
/** Share of linked text from which a note is a list of links. */
const MAX_NOTE_LINKS = 0.5;
/** Share of linked text from which a list that leads to places in the page is its table of contents. */
const MIN_CONTENTS_LINKS = 0.8;
/** Links that a table of contents has at least. */
const MIN_CONTENTS_COUNT = 3;
/** Elements that a list of the page's other languages can be. */
const SWITCHERS: ReadonlySet<string> = new Set(['div', 'nav', 'ol', 'p', 'ul']);
/** Characters beside its links that a list of the page's other languages has. */
const MAX_SWITCHER_WORDS = 40;

/**
 * Takes away what the search for an article is known to stumble over, and what repeats or surrounds the article's text: readers' remarks
 * below it, lists of the page's other languages, tables of contents, links to edit a section. Parts that are plainly text are marked as
 * such: notes, and sections named for their heading, whose name would be taken for a role (a section "Security headers" with the
 * identifier `security-headers` is no page header). {@link restoreIdentifiers} gives the names back.
 */
export function prepareArticle(document: PageDocument): void {
  const { body } = document;
  if (body === null) {
    return;
  }
  const weights = weighElements(body);
  const total = weights.get(body)?.text ?? 0;
  for (const [element, weight] of weights) {
    if (
      (isNamedLikeRemarks(element) && !weight.hasMain && weight.text * 2 < total) ||
      isLanguageList(element, weight) ||
      isContents(element, weight) ||
      /(?:^|\s)mw-editsection(?:\s|$)/u.test(element.className)
    ) {
      element.remove();
    } else if (isNamedForItsHeading(element, weights)) {
      element.setAttribute(KEPT_ID, element.id);
      element.removeAttribute('id');
      toSection(element);
    } else if (isNote(element, weight)) {
      toSection(element);
    }
  }
}

/** Gives the elements below `root` the identifiers back that {@link prepareArticle} took. */
export function restoreIdentifiers(root: PageElement): void {
  for (const element of root.querySelectorAll(`[${KEPT_ID}]`)) {
    element.setAttribute('id', element.getAttribute(KEPT_ID) ?? '');
    element.removeAttribute(KEPT_ID);
  }
}

/** Where most of a page is remarks, they are what it is about; see the caller. */
function isNamedLikeRemarks(element: PageElement): boolean {
  const names = `${element.id} ${element.className}`.toLowerCase();
  return names !== ' ' && names.split(/\s+/u).some((name) => REMARKS.has(name));
}

/** A block of links to the same page in other languages, and next to no other text. */
function isLanguageList(element: PageElement, { languages, text, linked }: Weight): boolean {
  return (
    languages > 1 &&
    SWITCHERS.has(element.localName) &&
    text - linked < MAX_SWITCHER_WORDS + languages * 3
  );
}

/** A list of links to places in the same page says nothing that the headings there do not. */
function isContents(element: PageElement, { links, inPage, text, linked }: Weight): boolean {
  return (
    (element.localName === 'ul' || element.localName === 'ol') &&
    links >= MIN_CONTENTS_COUNT &&
    inPage === links &&
    linked >= text * MIN_CONTENTS_LINKS
  );
}

/** Whether an element begins with a heading from which its identifier was made. */
function isNamedForItsHeading(
  element: PageElement,
  weights: ReadonlyMap<PageElement, Weight>,
): boolean {
  if (element.id === '' || !/^(?:article|div|section)$/u.test(element.localName)) {
    return false;
  }
  const first = [...element.childNodes]
    .filter(isElement)
    .find((child) => (weights.get(child)?.text ?? 0) > 0);
  if (first === undefined || !/^h[1-6]$/u.test(first.localName)) {
    return false;
  }
  const slug = slugOf(first.textContent);
  return slug.includes('-') && slugOf(element.id).endsWith(slug);
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');
}

function isNote(element: PageElement, { isInMain, text, linked }: Weight): boolean {
  return (
    isInMain &&
    (element.localName === 'aside' || element.localName === 'div') &&
    (NOTE.test(element.className) || element.getAttribute('role') === 'note') &&
    text > 0 &&
    linked < text * MAX_NOTE_LINKS
  );
}

/** Sections are text until the opposite shows; a `div` or an `aside` has to prove it. */
function toSection(element: PageElement): void {
  if (element.localName !== 'div' && element.localName !== 'aside') {
    return;
  }
  const section = element.ownerDocument.createElement('section');
  for (const name of element.getAttributeNames()) {
    section.setAttribute(name, element.getAttribute(name) ?? '');
  }
  section.append(...element.childNodes);
  element.replaceWith(section);
}

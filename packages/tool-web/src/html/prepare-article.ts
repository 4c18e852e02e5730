import { isElement } from './element-kinds.ts';

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
/** Characters beside its links that a list of the page's other languages has. */
const MAX_SWITCHER_WORDS = 40;

/**
 * Takes away what the search for an article is known to stumble over, and what repeats or surrounds the article's text: readers' remarks
 * below it, lists of the page's other languages, tables of contents, links to edit a section. Parts that are plainly text are marked as
 * such: notes, and sections named for their heading, whose name would be taken for a role (a section "Security headers" with the
 * identifier `security-headers` is no page header). {@link restoreIdentifiers} gives the names back.
 */
export function prepareArticle(document: Document): void {
  removeRemarks(document);
  removeLanguageLists(document);
  removeContents(document);
  for (const element of document.querySelectorAll('.mw-editsection')) {
    element.remove();
  }
  for (const element of document.querySelectorAll('section[id], div[id], article[id]')) {
    if (isNamedForItsHeading(element)) {
      element.setAttribute(KEPT_ID, element.id);
      element.removeAttribute('id');
      toSection(element);
    }
  }
  for (const element of document.querySelectorAll('aside, div[class], div[role="note"]')) {
    if (isNote(element)) {
      toSection(element);
    }
  }
}

/** Gives the elements below `root` the identifiers back that {@link prepareArticle} took. */
export function restoreIdentifiers(root: Element): void {
  for (const element of root.querySelectorAll(`[${KEPT_ID}]`)) {
    element.setAttribute('id', element.getAttribute(KEPT_ID) ?? '');
    element.removeAttribute(KEPT_ID);
  }
}

/** Where most of a page is remarks, they are what it is about. */
function removeRemarks(document: Document): void {
  const length = document.body.textContent.length;
  for (const element of document.querySelectorAll('[id], [class]')) {
    const names = [element.id, ...element.classList];
    if (
      names.some((name) => REMARKS.has(name.toLowerCase())) &&
      element.querySelector('main, article, h1') === null &&
      element.textContent.length * 2 < length
    ) {
      element.remove();
    }
  }
}

function removeLanguageLists(document: Document): void {
  const parents = [...document.querySelectorAll('a[hreflang]')].map(
    (link) => link.closest('ul, ol, p, nav, div') ?? undefined,
  );
  for (const parent of new Set(parents)) {
    const count = parents.filter((other) => other === parent).length;
    if (parent !== undefined && count > 1) {
      const text = parent.textContent.trim();
      if (text.length - linkedLength(parent) < MAX_SWITCHER_WORDS + count * 3) {
        parent.remove();
      }
    }
  }
}

/** Lists of links to places in the same page say nothing that the headings there do not. */
function removeContents(document: Document): void {
  for (const list of document.querySelectorAll('ul, ol')) {
    const links = [...list.querySelectorAll('a')];
    const isInPage = links.every((link) => link.getAttribute('href')?.startsWith('#') === true);
    if (
      links.length >= MIN_CONTENTS_COUNT &&
      isInPage &&
      linkedLength(list) >=
        list.textContent.replaceAll(/\s+/gu, ' ').trim().length * MIN_CONTENTS_LINKS
    ) {
      list.remove();
    }
  }
}

/** Whether an element begins with a heading from which its identifier was made. */
function isNamedForItsHeading(element: Element): boolean {
  const first = [...element.childNodes]
    .filter(isElement)
    .find(({ textContent }) => textContent.trim() !== '');
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

function isNote(element: Element): boolean {
  if (!NOTE.test(element.className) && element.getAttribute('role') !== 'note') {
    return false;
  }
  const length = element.textContent.trim().length;
  return (
    element.closest('main, [role="main"], article') !== null &&
    length > 0 &&
    linkedLength(element) < length * MAX_NOTE_LINKS
  );
}

function linkedLength(element: Element): number {
  return [...element.querySelectorAll('a')].reduce(
    (sum, link) => sum + link.textContent.trim().length,
    0,
  );
}

/** Sections are text until the opposite shows; a `div` or an `aside` has to prove it. */
function toSection(element: Element): void {
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

import type { PageElement } from '../dom/page-tree.ts';
import { isElement, isText } from './element-kinds.ts';

/** What stands below an element, counted once for the whole page. Lengths are in UTF-16 code units, white space at ends left out. */
export interface Weight {
  /** Characters of text. */
  text: number;
  /** Characters of text inside links. */
  linked: number;
  links: number;
  /** Links to places in the same page. */
  inPage: number;
  /** Links to the same page in other languages. */
  languages: number;
  /** Whether the main content, an article or the page's headline is among it. */
  hasMain: boolean;
  /** Whether the element itself is part of the main content or of an article. */
  readonly isInMain: boolean;
}

/**
 * Counts what stands below each element of a tree, in one pass: asking each element by itself would take the square of the page's size
 * where a page nests them. The tree must not be deeper than the stack allows.
 */
export function weighElements(root: PageElement): ReadonlyMap<PageElement, Weight> {
  const weights = new Map<PageElement, Weight>();
  weigh(root, { weights, isInMain: false, isInLink: false });
  return weights;
}

interface Place {
  readonly weights: Map<PageElement, Weight>;
  readonly isInMain: boolean;
  readonly isInLink: boolean;
}

function weigh(element: PageElement, place: Place): Weight {
  const { weights } = place;
  const isMain = isMainPart(element);
  const isLink = element.localName === 'a';
  const inside = {
    weights,
    isInMain: place.isInMain || isMain,
    isInLink: place.isInLink || isLink,
  };
  const weight: Weight = {
    text: 0,
    linked: 0,
    links: isLink ? 1 : 0,
    inPage: isLink && element.getAttribute('href')?.startsWith('#') === true ? 1 : 0,
    languages: isLink && element.hasAttribute('hreflang') ? 1 : 0,
    hasMain: isMain || element.localName === 'h1',
    isInMain: place.isInMain,
  };
  // In this order, which is the page's.
  weights.set(element, weight);
  for (let node = element.firstChild; node !== null; node = node.nextSibling) {
    if (isText(node)) {
      const { length } = node.data.trim();
      weight.text += length;
      weight.linked += inside.isInLink ? length : 0;
    } else if (isElement(node)) {
      add(weight, weigh(node, inside));
    }
  }
  return weight;
}

function isMainPart(element: PageElement): boolean {
  return (
    element.localName === 'main' ||
    element.localName === 'article' ||
    element.getAttribute('role') === 'main'
  );
}

function add(sum: Weight, part: Weight): void {
  sum.text += part.text;
  sum.linked += part.linked;
  sum.links += part.links;
  sum.inPage += part.inPage;
  sum.languages += part.languages;
  sum.hasMain ||= part.hasMain;
}

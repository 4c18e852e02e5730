import type { PageElement } from './page-tree.ts';

/** Tells whether an element is one that a selector means. */
export type ElementTest = (element: PageElement) => boolean;

/** A tag name (or any), attributes that must be there, and the element that it stands in. */
interface Step {
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: string | undefined])[];
  /** How the step before is related to this one; undefined for the first. */
  readonly relation: 'child' | 'descendant' | undefined;
}

/** Most selectors: one name, or a list of names. */
const NAMES = /^[\w-]+(?:\s*,\s*[\w-]+)*$/u;
const STEP = /^(?<name>[\w-]+|\*)?(?<attributes>(?:\[[\w-]+(?:="[^"]*")?\])*)$/u;
const ATTRIBUTE = /\[(?<name>[\w-]+)(?:="(?<value>[^"]*)")?\]/gu;

/**
 * Reads the selectors that this package and Readability use: lists of tag names with attributes, inside (` `) or directly inside (`>`)
 * others. Selectors are written by programmers, never by pages. Errors: `TypeError` for any other.
 */
export function toElementTest(selector: string): ElementTest {
  if (selector === '*') {
    return () => true;
  }
  if (NAMES.test(selector)) {
    const wanted = new Set(selector.toLowerCase().split(/\s*,\s*/u));
    return ({ localName }) => wanted.has(localName);
  }
  const alternatives = selector.split(',').map((text) => readSteps(text.trim()));
  return (element) => alternatives.some((steps) => matchesSteps(element, steps, steps.length - 1));
}

function readSteps(text: string): readonly Step[] {
  const words = text.replaceAll('>', ' > ').split(/\s+/u);
  const steps: Step[] = [];
  let relation: Step['relation'];
  for (const word of words) {
    if (word === '>') {
      relation = 'child';
      continue;
    }
    const groups = STEP.exec(word)?.groups;
    if (word === '' || groups === undefined) {
      throw new TypeError(`The selector ${JSON.stringify(text)} is not supported.`);
    }
    const attributes = [...(groups['attributes'] ?? '').matchAll(ATTRIBUTE)].map(
      (match) => [match.groups?.['name'] ?? '', match.groups?.['value']] as const,
    );
    steps.push({ name: (groups['name'] ?? '*').toLowerCase(), attributes, relation });
    relation = 'descendant';
  }
  return steps;
}

function matchesSteps(element: PageElement, steps: readonly Step[], last: number): boolean {
  const step = steps[last];
  if (step === undefined || !isMeant(element, step)) {
    return false;
  }
  if (step.relation === undefined) {
    return true;
  }
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
    if (matchesSteps(outer, steps, last - 1)) {
      return true;
    }
    if (step.relation === 'child') {
      return false;
    }
  }
  return false;
}

function isMeant(element: PageElement, { name, attributes }: Step): boolean {
  return (
    (name === '*' || name === element.localName) &&
    attributes.every(([key, value]) => {
      const actual = element.getAttribute(key);
      return actual !== null && (value === undefined || value === actual);
    })
  );
}

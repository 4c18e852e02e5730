import type { PageDocument } from './page-document.ts';
import { toElementTest } from './selector.ts';
import type { ElementTest } from './selector.ts';
import { serializeChildren, serializeElement } from './serialize-html.ts';
import { readStyle } from './shown-style.ts';
import type { ShownStyle } from './shown-style.ts';

/** A node of a page: an element, text, or the document. Readability reads it as it would a browser's. */
export abstract class PageNode {
  abstract readonly nodeType: number;
  abstract readonly nodeName: string;
  /** All text inside. */
  abstract readonly textContent: string;
  parentNode: PageParent | null = null;
  previousSibling: PageNode | null = null;
  nextSibling: PageNode | null = null;
  firstChild: PageNode | null = null;
  lastChild: PageNode | null = null;

  get childNodes(): PageNode[] {
    const nodes: PageNode[] = [];
    for (let node = this.firstChild; node !== null; node = node.nextSibling) {
      nodes.push(node);
    }
    return nodes;
  }

  get parentElement(): PageElement | null {
    return this.parentNode instanceof PageElement ? this.parentNode : null;
  }

  get nextElementSibling(): PageElement | null {
    let node = this.nextSibling;
    while (node !== null && !(node instanceof PageElement)) {
      node = node.nextSibling;
    }
    return node;
  }

  get previousElementSibling(): PageElement | null {
    let node = this.previousSibling;
    while (node !== null && !(node instanceof PageElement)) {
      node = node.previousSibling;
    }
    return node;
  }

  remove(): void {
    this.parentNode?.removeChild(this);
  }

  replaceWith(node: PageNode): void {
    this.parentNode?.replaceChild(node, this);
  }
}

/** Text between two tags, entities decoded. */
export class PageText extends PageNode {
  readonly nodeType = 3;
  readonly nodeName = '#text';
  data: string;

  constructor(data: string) {
    super();
    this.data = data;
  }

  get nodeValue(): string {
    return this.data;
  }

  get textContent(): string {
    return this.data;
  }
}

/** What has children: elements and the document. */
export abstract class PageParent extends PageNode {
  /** Known only while that of all elements inside is: then a change below need only be told upwards as far as texts are known. */
  #text: string | undefined;

  get children(): PageElement[] {
    const elements: PageElement[] = [];
    for (let node = this.firstElementChild; node !== null; node = node.nextElementSibling) {
      elements.push(node);
    }
    return elements;
  }

  get firstElementChild(): PageElement | null {
    const first = this.firstChild;
    return first === null || first instanceof PageElement ? first : first.nextElementSibling;
  }

  get textContent(): string {
    // Without recursion: hostile pages nest tens of thousands of elements.
    const open: { readonly parent: PageParent; text: string; next: PageNode | null }[] = [];
    let current = { parent: this as PageParent, text: '', next: this.firstChild };
    while (this.#text === undefined) {
      const node = current.next;
      if (node === null) {
        current.parent.#text = current.text;
        const outer = open.pop();
        if (outer !== undefined) {
          outer.text += current.text;
          current = outer;
        }
        continue;
      }
      current.next = node.nextSibling;
      if (node instanceof PageParent && node.#text === undefined) {
        open.push(current);
        current = { parent: node, text: '', next: node.firstChild };
      } else {
        current.text += node.textContent;
      }
    }
    return this.#text;
  }

  append(...nodes: readonly PageNode[]): void {
    for (const node of nodes) {
      this.insertBefore(node, null);
    }
  }

  appendChild<N extends PageNode>(node: N): N {
    return this.insertBefore(node, null);
  }

  /** Puts a node, taken from where it was, before another one; at the end for null. */
  insertBefore<N extends PageNode>(node: N, before: PageNode | null): N {
    node.parentNode?.removeChild(node);
    const previous = before === null ? this.lastChild : before.previousSibling;
    node.parentNode = this;
    node.previousSibling = previous;
    node.nextSibling = before;
    if (previous === null) {
      this.firstChild = node;
    } else {
      previous.nextSibling = node;
    }
    if (before === null) {
      this.lastChild = node;
    } else {
      before.previousSibling = node;
    }
    PageParent.#forgetText(this);
    return node;
  }

  removeChild<N extends PageNode>(node: N): N {
    if (node.parentNode !== this) {
      throw new TypeError('The node is no child of this one.');
    }
    const { previousSibling: previous, nextSibling: next } = node;
    if (previous === null) {
      this.firstChild = next;
    } else {
      previous.nextSibling = next;
    }
    if (next === null) {
      this.lastChild = previous;
    } else {
      next.previousSibling = previous;
    }
    node.parentNode = null;
    node.previousSibling = null;
    node.nextSibling = null;
    PageParent.#forgetText(this);
    return node;
  }

  replaceChild<N extends PageNode>(node: PageNode, old: N): N {
    if (node !== old) {
      // Where the new one is the next one, that place moves.
      const before = old.nextSibling === node ? node.nextSibling : old.nextSibling;
      this.removeChild(old);
      this.insertBefore(node, before);
    }
    return old;
  }

  getElementsByTagName(name: string): PageElement[] {
    const wanted = name.toLowerCase();
    return this.#collect(wanted === '*' ? () => true : ({ localName }) => localName === wanted);
  }

  querySelectorAll(selector: string): PageElement[] {
    return this.#collect(toElementTest(selector));
  }

  querySelector(selector: string): PageElement | null {
    const isMeant = toElementTest(selector);
    let element = this.firstElementChild;
    while (element !== null && !isMeant(element)) {
      element = elementAfter(element, this);
    }
    return element;
  }

  #collect(isMeant: ElementTest): PageElement[] {
    const found: PageElement[] = [];
    let element = this.firstElementChild;
    while (element !== null) {
      if (isMeant(element)) {
        found.push(element);
      }
      element = elementAfter(element, this);
    }
    return found;
  }

  static #forgetText(changed: PageParent): void {
    let parent: PageParent | null = changed;
    while (parent !== null && parent.#text !== undefined) {
      parent.#text = undefined;
      parent = parent.parentNode;
    }
  }
}

/** The next element inside `root`, in the order of the page. */
function elementAfter(element: PageElement, root: PageParent): PageElement | null {
  const inside = element.firstElementChild;
  if (inside !== null) {
    return inside;
  }
  let node: PageNode | null = element;
  while (node !== null && node !== root) {
    const next: PageElement | null = node.nextElementSibling;
    if (next !== null) {
      return next;
    }
    node = node.parentNode;
  }
  return null;
}

/** An attribute of an element. */
export class PageAttribute {
  readonly name: string;
  value: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.value = value;
  }

  cloneNode(): PageAttribute {
    return new PageAttribute(this.name, this.value);
  }
}

/** An element; names of elements and attributes are in lower case. */
export class PageElement extends PageParent {
  readonly nodeType = 1;
  readonly ownerDocument: PageDocument;
  readonly localName: string;
  /** In upper case. */
  readonly tagName: string;
  readonly attributes: PageAttribute[] = [];

  constructor(ownerDocument: PageDocument, name: string) {
    super();
    this.ownerDocument = ownerDocument;
    this.localName = name.toLowerCase();
    this.tagName = name.toUpperCase();
  }

  get nodeName(): string {
    return this.tagName;
  }

  get id(): string {
    return this.getAttribute('id') ?? '';
  }

  set id(value: string) {
    this.setAttribute('id', value);
  }

  get className(): string {
    return this.getAttribute('class') ?? '';
  }

  set className(value: string) {
    this.setAttribute('class', value);
  }

  /** What the element's own attribute says of whether it is seen. */
  get style(): ShownStyle {
    return readStyle(this.getAttribute('style'));
  }

  get innerHTML(): string {
    return serializeChildren(this);
  }

  set innerHTML(html: string) {
    for (const node of this.childNodes) {
      this.removeChild(node);
    }
    this.append(...this.ownerDocument.parseFragment(html));
  }

  get outerHTML(): string {
    return serializeElement(this);
  }

  getAttribute(name: string): string | null {
    for (const attribute of this.attributes) {
      if (attribute.name === name) {
        return attribute.value;
      }
    }
    return null;
  }

  hasAttribute(name: string): boolean {
    return this.getAttribute(name) !== null;
  }

  getAttributeNames(): string[] {
    return this.attributes.map(({ name }) => name);
  }

  setAttribute(name: string, value: string): void {
    const known = this.attributes.find((attribute) => attribute.name === name);
    if (known === undefined) {
      this.attributes.push(new PageAttribute(name, value));
    } else {
      known.value = value;
    }
  }

  setAttributeNode({ name, value }: PageAttribute): void {
    this.setAttribute(name, value);
  }

  removeAttribute(name: string): void {
    const index = this.attributes.findIndex((attribute) => attribute.name === name);
    if (index !== -1) {
      this.attributes.splice(index, 1);
    }
  }

  matches(selector: string): boolean {
    return toElementTest(selector)(this);
  }

  /** The nearest of this element and those around it that a selector means. */
  closest(selector: string): PageElement | null {
    const isMeant = toElementTest(selector);
    if (isMeant(this)) {
      return this;
    }
    let element = this.parentElement;
    while (element !== null && !isMeant(element)) {
      element = element.parentElement;
    }
    return element;
  }
}

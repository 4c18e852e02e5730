import { PageElement, PageParent, PageText } from './page-tree.ts';
import type { PageNode } from './page-tree.ts';

/** A page; makes its elements. */
export class PageDocument extends PageParent {
  readonly nodeType = 9;
  readonly nodeName = '#document';
  /** What relative addresses of the page refer to; `undefined` where nobody has said. */
  baseURI: string | undefined;
  /** Parses markup to nodes that belong to nothing yet. */
  readonly parseFragment: (html: string) => readonly PageNode[];

  constructor(parseFragment: (html: string, document: PageDocument) => readonly PageNode[]) {
    super();
    this.parseFragment = (html) => parseFragment(html, this);
  }

  /** Links within the page stay as they are. */
  get documentURI(): string | undefined {
    return this.baseURI;
  }

  get documentElement(): PageElement | null {
    return this.firstElementChild;
  }

  get body(): PageElement | null {
    return this.documentElement?.children.find(({ localName }) => localName === 'body') ?? null;
  }

  get title(): string {
    return (this.querySelector('title')?.textContent ?? '')
      .replaceAll(/[\t\n\f\r ]+/gu, ' ')
      .trim();
  }

  createElement(name: string): PageElement {
    return new PageElement(this, name);
  }

  createTextNode(data: string): PageText {
    return new PageText(data);
  }
}

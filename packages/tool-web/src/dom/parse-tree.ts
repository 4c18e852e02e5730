import { Parser } from 'htmlparser2';
import { PageDocument } from './page-document.ts';
import { PageText } from './page-tree.ts';
import type { PageNode, PageParent } from './page-tree.ts';

/** Attributes of an element that are kept: a hostile page has a hundred thousand, and finding one takes time by their number. */
const maxAttributes = 256;

/**
 * Parses markup to a tree as it is written; nothing is added, moved or run. Comments and declarations are left out: they are no part of
 * what a page shows.
 */
export function parseTree(source: string): PageDocument {
  const document = new PageDocument(parseFragment);
  readInto(document, source, document);
  return document;
}

function parseFragment(html: string, document: PageDocument): readonly PageNode[] {
  const holder = document.createElement('body');
  readInto(holder, html, document);
  const nodes = holder.childNodes;
  for (const node of nodes) {
    holder.removeChild(node);
  }
  return nodes;
}

function readInto(root: PageParent, source: string, document: PageDocument): void {
  let parent = root;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const element = document.createElement(name);
        for (const key of Object.keys(attributes).slice(0, maxAttributes)) {
          element.setAttribute(key, attributes[key] ?? '');
        }
        parent.appendChild(element);
        parent = element;
      },
      onclosetag: () => {
        parent = parent.parentNode ?? root;
      },
      ontext: (text) => {
        // The parser stops at entities and comments: what stands side by side is one text.
        const last = parent.lastChild;
        if (last instanceof PageText) {
          last.data += text;
        } else {
          parent.appendChild(new PageText(text));
        }
      },
    },
    { decodeEntities: true, lowerCaseAttributeNames: true, lowerCaseTags: true },
  );
  parser.write(source);
  parser.end();
}

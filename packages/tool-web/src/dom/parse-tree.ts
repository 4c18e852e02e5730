import { Parser } from 'htmlparser2';
import { PageDocument } from './page-document.ts';
import { PageText } from './page-tree.ts';
import type { PageNode, PageParent } from './page-tree.ts';

/** Attributes of an element that are kept: a hostile page has a hundred thousand, and finding one takes time by their number. */
const maxAttributes = 256;

/**
 * Elements that are read as nested, at most; browsers stop near there too. One that is deeper is read as if all before it had ended: a
 * tag costs the parser time by the number of open elements, and a hostile page has a million of them.
 */
const maxDepth = 1024;

/** How markup is read. */
export interface ParseOptions {
  /** By XML's rules for empty elements and CDATA, as XHTML is. Default false. */
  readonly isXml?: boolean | undefined;
}

interface ReadOptions extends ParseOptions {
  readonly document: PageDocument;
}

/**
 * Parses markup to a tree as it is written; nothing is added, moved or run. Comments and declarations are left out: they are no part of
 * what a page shows.
 */
export function parseTree(source: string, options: ParseOptions = {}): PageDocument {
  const document = new PageDocument(parseFragment);
  readInto(document, source, { ...options, document });
  return document;
}

function parseFragment(html: string, document: PageDocument): readonly PageNode[] {
  const holder = document.createElement('body');
  readInto(holder, html, { document });
  const nodes = holder.childNodes;
  for (const node of nodes) {
    holder.removeChild(node);
  }
  return nodes;
}

function readInto(root: PageParent, source: string, options: ReadOptions): void {
  let rest: string | undefined = source;
  while (rest !== undefined) {
    rest = readPart(root, rest, options);
  }
}

/** Reads to the end, or to the element that is nested too deeply: returns the source from there on. */
function readPart(root: PageParent, source: string, options: ReadOptions): string | undefined {
  const { document, isXml = false } = options;
  let parent = root;
  let depth = 0;
  let endsAt: number | undefined;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (depth === maxDepth) {
          endsAt = parser.startIndex;
          parser.pause();
          return;
        }
        const element = document.createElement(name);
        for (const key of Object.keys(attributes).slice(0, maxAttributes)) {
          element.setAttribute(key, attributes[key] ?? '');
        }
        parent.appendChild(element);
        parent = element;
        depth += 1;
      },
      onclosetag: () => {
        if (endsAt !== undefined) {
          return;
        }
        parent = parent.parentNode ?? root;
        depth -= 1;
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
    {
      decodeEntities: true,
      lowerCaseAttributeNames: true,
      lowerCaseTags: true,
      recognizeSelfClosing: isXml,
      recognizeCDATA: isXml,
    },
  );
  parser.write(source);
  if (endsAt !== undefined) {
    return source.slice(endsAt);
  }
  parser.end();
  return undefined;
}

import type { PageElement, PageNode } from '../dom/page-tree.ts';
import { isElement, isText, isUnseen } from './element-kinds.ts';
import { codeSpan, escapeText } from './escape-markdown.ts';
import { joinInline, textPiece } from './join-inline.ts';
import type { InlinePiece, Mark } from './join-inline.ts';
import { linkTarget, resolveUrl } from './resolve-url.ts';

/** How a page is written. */
export interface WriteOptions {
  /** What relative links and images refer to. */
  readonly baseUrl: string;
  /** Plain text instead of Markdown: the same lines without markup and addresses. */
  readonly isPlain: boolean;
  /** Whether what a page shows only without scripts counts. */
  readonly withNoscript: boolean;
}

/** Writes what stands within a line: text, emphasis, code, links, images, footnote marks. */
export class InlineWriter {
  /** Whether a table cell is being written, where a pipe means something. */
  isInCell = false;
  readonly #options: WriteOptions;
  #isInLink = false;
  /** Marks around what is being written: inside of one the same says nothing. */
  readonly #marks = new Set<Mark>();

  constructor(options: WriteOptions) {
    this.#options = options;
  }

  /** Inline content as text, hard breaks as line ends; inside a link there is no other. */
  write(nodes: readonly PageNode[], place: { readonly isInLink: boolean }): string {
    const wasInLink = this.#isInLink;
    this.#isInLink ||= place.isInLink;
    const text = joinInline(this.#inlineNodes(nodes, []));
    this.#isInLink = wasInLink;
    return text;
  }

  /** Text as it is to stand in the output. */
  #text(text: string): string {
    return this.#options.isPlain ? text : escapeText(text, { isInLink: this.#isInLink });
  }

  #inlineChildren(element: PageElement, into: InlinePiece[]): InlinePiece[] {
    return this.#inlineNodes(element.childNodes, into);
  }

  /**
   * Adds the pieces of nodes to others, which are returned: a line may have a million. The parser splits text at entities and comments:
   * what stands side by side is one text.
   */
  #inlineNodes(nodes: Iterable<PageNode>, into: InlinePiece[]): InlinePiece[] {
    let text = '';
    const endText = (): void => {
      if (text !== '') {
        into.push(textPiece(this.#text(text.replaceAll(/\s+/gu, ' '))));
        text = '';
      }
    };
    for (const node of nodes) {
      if (isText(node)) {
        text += node.data;
      } else if (isElement(node) && !isUnseen(node, this.#options)) {
        endText();
        this.#inline(node, into);
      }
    }
    endText();
    return into;
  }

  #inline(node: PageElement, into: InlinePiece[]): void {
    switch (node.localName) {
      case 'br':
        into.push({ kind: 'break' });
        return;
      case 'b':
      case 'strong':
        this.#marked(node, '**', into);
        return;
      case 'em':
      case 'i':
        this.#marked(node, '*', into);
        return;
      case 'del':
      case 's':
      case 'strike':
        this.#marked(node, '~~', into);
        return;
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt':
        into.push(...spaced(node.textContent, (text) => this.#codeSpan(text)));
        return;
      case 'a':
        this.#link(node, into);
        return;
      case 'img':
        into.push(...this.#image(node));
        return;
      case 'sup':
        this.#superscript(node, into);
        return;
      case 'q':
        into.push(textPiece('“'));
        this.#inlineChildren(node, into);
        into.push(textPiece('”'));
        return;
      case 'math':
        into.push(...mathPieces(node));
        return;
      case 'video':
      case 'audio':
        into.push(...this.#media(node));
        return;
      default:
        this.#inlineChildren(node, into);
    }
  }

  #codeSpan(text: string): string {
    if (this.#options.isPlain) {
      return text;
    }
    // In a table a pipe needs a backslash even inside code, where another one before it cannot be escaped.
    return this.isInCell && text.includes('\\|') ? this.#text(text) : codeSpan(text);
  }

  #marked(element: PageElement, mark: Mark, into: InlinePiece[]): void {
    if (this.#options.isPlain || this.#marks.has(mark)) {
      this.#inlineChildren(element, into);
      return;
    }
    this.#marks.add(mark);
    const pieces = this.#inlineChildren(element, []);
    this.#marks.delete(mark);
    // What has the mark in its text would end it there.
    if (joinInline(pieces).includes(mark)) {
      addAll(pieces, into);
    } else {
      into.push(...around(pieces, [{ kind: 'mark', mark, pieces }]));
    }
  }

  #link(element: PageElement, into: InlinePiece[]): void {
    if (this.#isInLink) {
      this.#inlineChildren(element, into);
      return;
    }
    const url = resolveUrl(element.getAttribute('href'), this.#options.baseUrl);
    this.#isInLink = url !== undefined;
    const pieces = this.#inlineChildren(element, []);
    this.#isInLink = false;
    if (isPermalink(pieces)) {
      return;
    }
    if (url === undefined || this.#options.isPlain) {
      addAll(pieces, into);
    } else {
      const text = joinInline(pieces).replaceAll('\n', ' ');
      into.push(...around(pieces, [textPiece(`[${text}](${linkTarget(url)})`)]));
    }
  }

  #image(element: PageElement): InlinePiece[] {
    const source = [element.getAttribute('src'), element.getAttribute('data-src')]
      .map((address) => resolveUrl(address, this.#options.baseUrl))
      .find((url) => url !== undefined);
    const words = (element.getAttribute('alt') ?? '').replaceAll(/\s+/gu, ' ').trim();
    const alt = this.#options.isPlain ? words : escapeText(words, { isInLink: true });
    if (source === undefined || this.#options.isPlain) {
      return alt === '' ? [] : [textPiece(alt)];
    }
    return [textPiece(`![${alt}](${linkTarget(source)})`)];
  }

  #superscript(element: PageElement, into: InlinePiece[]): void {
    const text = element.textContent.trim();
    if (/^\[[^\]]{1,12}\]$/u.test(text)) {
      // A footnote's mark: its link leads to the foot of the same page.
      into.push(textPiece(this.#text(text)));
      return;
    }
    if (/^[-+−]?\d+$/u.test(text)) {
      into.push(textPiece('^'));
    }
    this.#inlineChildren(element, into);
  }

  #media(element: PageElement): InlinePiece[] {
    const source =
      element.getAttribute('src') ?? element.querySelector('source')?.getAttribute('src');
    const url = resolveUrl(source, this.#options.baseUrl);
    return url === undefined || this.#options.isPlain
      ? []
      : [textPiece(`[${element.localName}](${linkTarget(url)})`)];
  }
}

/** White space at the ends of an element belongs outside of what is made of it. */
function around(pieces: readonly InlinePiece[], inner: readonly InlinePiece[]): InlinePiece[] {
  const [first] = pieces;
  const last = pieces.at(-1);
  const before = first?.kind === 'text' && first.text.startsWith(' ') ? [textPiece(' ')] : [];
  const after = last?.kind === 'text' && last.text.endsWith(' ') ? [textPiece(' ')] : [];
  return [...before, ...inner, ...after];
}

function spaced(content: string, make: (text: string) => string): InlinePiece[] {
  const text = content.replaceAll(/\s+/gu, ' ');
  const inner = text.trim();
  return inner === '' ? [textPiece(text)] : around([textPiece(text)], [textPiece(make(inner))]);
}

function mathPieces(element: PageElement): InlinePiece[] {
  const tex = element.querySelector('annotation[encoding="application/x-tex"]')?.textContent.trim();
  if (tex !== undefined && tex !== '') {
    return [textPiece(`$${tex.replaceAll(/\s+/gu, ' ')}$`)];
  }
  return spaced(element.getAttribute('alttext') ?? element.textContent, (text) => text);
}

/** Nothing, or a mark that documentation tools put behind headings to link to them. */
function isPermalink(pieces: readonly InlinePiece[]): boolean {
  const isLong =
    pieces.length > 3 || pieces.some((piece) => piece.kind === 'text' && piece.text.length > 8);
  return !isLong && ['', '¶', '§', '🔗'].includes(joinInline(pieces));
}

function addAll(pieces: readonly InlinePiece[], into: InlinePiece[]): void {
  for (const piece of pieces) {
    into.push(piece);
  }
}

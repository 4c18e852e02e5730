import type { PageElement, PageNode } from '../dom/page-tree.ts';
import { isElement, isText, isUnseen } from './element-kinds.ts';
import { codeSpan, escapeText } from './escape-markdown.ts';
import { joinInline, textPiece } from './join-inline.ts';
import type { InlinePiece } from './join-inline.ts';
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

  constructor(options: WriteOptions) {
    this.#options = options;
  }

  /** Inline content as text, hard breaks as line ends; inside a link there is no other. */
  write(nodes: readonly PageNode[], place: { readonly isInLink: boolean }): string {
    const wasInLink = this.#isInLink;
    this.#isInLink ||= place.isInLink;
    const text = joinInline(this.#inlineNodes(nodes));
    this.#isInLink = wasInLink;
    return text;
  }

  /** Text as it is to stand in the output. */
  #text(text: string): string {
    return this.#options.isPlain ? text : escapeText(text, { isInLink: this.#isInLink });
  }

  #inlineChildren(element: PageElement): InlinePiece[] {
    return this.#inlineNodes([...element.childNodes]);
  }

  /** The parser splits text at entities and comments: what stands side by side is one text. */
  #inlineNodes(nodes: readonly PageNode[]): InlinePiece[] {
    const pieces: InlinePiece[] = [];
    let text = '';
    const endText = (): void => {
      if (text !== '') {
        pieces.push(textPiece(this.#text(text.replaceAll(/\s+/gu, ' '))));
        text = '';
      }
    };
    for (const node of nodes) {
      if (isText(node)) {
        text += node.data;
      } else if (isElement(node) && !isUnseen(node, this.#options)) {
        endText();
        pieces.push(...this.#inline(node));
      }
    }
    endText();
    return pieces;
  }

  #inline(node: PageElement): InlinePiece[] {
    switch (node.localName) {
      case 'br':
        return [{ kind: 'break' }];
      case 'b':
      case 'strong':
        return this.#marked(node, '**');
      case 'em':
      case 'i':
        return this.#marked(node, '*');
      case 'del':
      case 's':
      case 'strike':
        return this.#marked(node, '~~');
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt':
        return spaced(node.textContent, (text) => this.#codeSpan(text));
      case 'a':
        return this.#link(node);
      case 'img':
        return this.#image(node);
      case 'sup':
        return this.#superscript(node);
      case 'q':
        return [textPiece('“'), ...this.#inlineChildren(node), textPiece('”')];
      case 'math':
        return mathPieces(node);
      case 'video':
      case 'audio':
        return this.#media(node);
      default:
        return this.#inlineChildren(node);
    }
  }

  #codeSpan(text: string): string {
    if (this.#options.isPlain) {
      return text;
    }
    // In a table a pipe needs a backslash even inside code, where another one before it cannot be escaped.
    return this.isInCell && text.includes('\\|') ? this.#text(text) : codeSpan(text);
  }

  #marked(element: PageElement, mark: '*' | '**' | '~~'): InlinePiece[] {
    const pieces = this.#inlineChildren(element);
    // Emphasis inside the same emphasis says nothing.
    if (this.#options.isPlain || joinInline(pieces).includes(mark)) {
      return pieces;
    }
    return around(pieces, [{ kind: 'mark', mark, pieces }]);
  }

  #link(element: PageElement): InlinePiece[] {
    const wasInLink = this.#isInLink;
    const url = wasInLink
      ? undefined
      : resolveUrl(element.getAttribute('href'), this.#options.baseUrl);
    this.#isInLink ||= url !== undefined;
    const pieces = this.#inlineChildren(element);
    this.#isInLink = wasInLink;
    const text = joinInline(pieces).replaceAll('\n', ' ');
    if (isPermalink(text)) {
      return [];
    }
    return url === undefined || this.#options.isPlain
      ? pieces
      : around(pieces, [textPiece(`[${text}](${linkTarget(url)})`)]);
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

  #superscript(element: PageElement): InlinePiece[] {
    const text = element.textContent.trim();
    if (/^\[[^\]]{1,12}\]$/u.test(text)) {
      // A footnote's mark: its link leads to the foot of the same page.
      return [textPiece(this.#text(text))];
    }
    const pieces = this.#inlineChildren(element);
    return /^[-+−]?\d+$/u.test(text) ? [textPiece('^'), ...pieces] : pieces;
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

/** Marks that documentation tools put behind headings to link to them. */
function isPermalink(text: string): boolean {
  return text === '' || text === '¶' || text === '§' || text === '🔗';
}

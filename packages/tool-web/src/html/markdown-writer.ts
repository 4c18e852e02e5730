import { readCode } from './code-text.ts';
import { BLOCK_NAMES, isElement, isSilent, isText } from './element-kinds.ts';
import { codeFence, codeSpan, escapeLineStart, escapeText } from './escape-markdown.ts';
import { joinInline, textPiece } from './join-inline.ts';
import type { InlinePiece } from './join-inline.ts';
import { linkTarget, resolveUrl } from './resolve-url.ts';
import { cellsOf, rowsOf, writeTable } from './write-table.ts';

/** How a page is written. */
export interface WriteOptions {
  /** What relative links and images refer to. */
  readonly baseUrl: string;
  /** Plain text instead of Markdown: the same lines without markup and addresses. */
  readonly isPlain: boolean;
  /** Whether what a page shows only without scripts counts. */
  readonly withNoscript: boolean;
}

/** Quotes and lists inside each other beyond this get no further prefix: each one would multiply every line. */
const MAX_PREFIXES = 12;

/**
 * Writes the tree below an element as Markdown: headings, nested lists, quotes, fenced code with its language, GFM tables, links and
 * images with absolute addresses. Only text that a reader would see appears; escaping is the least that keeps it text.
 *
 * The tree must not be deeper than the stack allows; see `flattenText` for such trees.
 */
export function writeMarkdown(root: Element, options: WriteOptions): string {
  return new MarkdownWriter(root, options).write();
}

class MarkdownWriter {
  readonly #root: Element;
  readonly #options: WriteOptions;
  /** Elements that are inline by name and yet have blocks inside. */
  readonly #containers: ReadonlySet<Node>;
  #linkAround: string | undefined;
  #isInLink = false;
  #isInCell = false;
  #prefixes = 0;

  constructor(root: Element, options: WriteOptions) {
    this.#root = root;
    this.#options = options;
    this.#containers = findContainers(root);
  }

  write(): string {
    return this.#blocks(this.#root).join('\n\n');
  }

  /** The blocks inside an element; runs of inline content between them become paragraphs. */
  #blocks(parent: Element): string[] {
    const blocks: string[] = [];
    let run: Node[] = [];
    const endRun = (): void => {
      const text = this.#paragraph(run);
      run = [];
      if (text !== '') {
        blocks.push(text);
      }
    };
    for (const node of parent.childNodes) {
      if (isElement(node) && this.#isBlock(node)) {
        endRun();
        blocks.push(...this.#block(node));
      } else {
        run.push(node);
      }
    }
    endRun();
    return blocks;
  }

  #isSilent(element: Element): boolean {
    return isSilent(element) || (element.localName === 'noscript' && !this.#options.withNoscript);
  }

  /** Text as it is to stand in the output. */
  #text(text: string): string {
    return this.#options.isPlain ? text : escapeText(text, { isInLink: this.#isInLink });
  }

  #isBlock(element: Element): boolean {
    return BLOCK_NAMES.has(element.localName) || this.#containers.has(element);
  }

  #block(element: Element): string[] {
    if (this.#isSilent(element)) {
      return [];
    }
    switch (element.localName) {
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        return this.#heading(element, Number(element.localName.slice(1)));
      case 'pre':
        return this.#code(element);
      case 'blockquote':
        return this.#prefixed(element, (text) =>
          text.replaceAll(/^(?=.)/gmu, '> ').replaceAll(/^$/gmu, '>'),
        );
      case 'ul':
      case 'ol':
      case 'menu':
        return this.#list(element);
      case 'table':
        return this.#table(element);
      case 'hr':
        return ['---'];
      case 'dt':
      case 'summary':
        return this.#strong(element);
      case 'dd':
        return this.#prefixed(element, (text) => `: ${indent(text, 2)}`);
      case 'a':
        return this.#linkedBlocks(element);
      default:
        return this.#blocks(element);
    }
  }

  #heading(element: Element, level: number): string[] {
    const text = this.#line([element]).replaceAll('\n', ' ');
    if (text === '' || this.#options.isPlain) {
      return text === '' ? [] : [text];
    }
    // Hashes at the end would be taken as the heading's closing marks.
    return [`${'#'.repeat(level)} ${text.replace(/(?<=^|\s)(?=#+$)/u, '\\')}`];
  }

  #strong(element: Element): string[] {
    if (this.#hasBlocks(element)) {
      return this.#blocks(element);
    }
    const text = this.#line([element]).replaceAll('\n', ' ');
    if (text === '') {
      return [];
    }
    return [this.#options.isPlain || text.includes('**') ? text : `**${text}**`];
  }

  #hasBlocks(element: Element): boolean {
    return [...element.children].some((child) => this.#isBlock(child));
  }

  #code(element: Element): string[] {
    const { code, language } = readCode(element);
    if (code.trim() === '') {
      return [];
    }
    return [this.#options.isPlain ? code : codeFence(code, language)];
  }

  #prefixed(element: Element, prefix: (text: string) => string): string[] {
    this.#prefixes += 1;
    const blocks = this.#blocks(element);
    const isTooDeep = this.#prefixes > MAX_PREFIXES;
    this.#prefixes -= 1;
    if (blocks.length === 0 || isTooDeep) {
      return blocks;
    }
    return [prefix(blocks.join('\n\n'))];
  }

  #list(element: Element): string[] {
    const items = [...element.children].filter((child) => !this.#isSilent(child));
    let number = Number.parseInt(element.getAttribute('start') ?? '1', 10);
    number = Number.isSafeInteger(number) && number >= 0 ? number : 1;
    this.#prefixes += 1;
    const written: { readonly text: string; readonly isLoose: boolean }[] = [];
    for (const item of items) {
      const marker = element.localName === 'ol' ? `${String(number)}. ` : '- ';
      const text = this.#item(item, marker);
      if (text !== undefined) {
        written.push(text);
        number += 1;
      }
    }
    this.#prefixes -= 1;
    const separator = written.some(({ isLoose }) => isLoose) ? '\n\n' : '\n';
    return written.length === 0 ? [] : [written.map(({ text }) => text).join(separator)];
  }

  #item(
    item: Element,
    marker: string,
  ): { readonly text: string; readonly isLoose: boolean } | undefined {
    const blocks = item.localName === 'li' ? this.#blocks(item) : this.#block(item);
    if (blocks.length === 0) {
      return undefined;
    }
    const isList = (block: string): boolean => /^(?:[-*]|\d+\.) /u.test(block);
    // Only lists may follow without a blank line, and only those that do not begin with another number than 1.
    const isLoose = blocks.slice(1).some((block) => !isList(block) || /^(?!1\.)\d/u.test(block));
    const text = blocks.join(isLoose ? '\n\n' : '\n');
    const box = checkboxOf(item);
    return {
      text: this.#prefixes > MAX_PREFIXES ? text : `${marker}${box}${indent(text, marker.length)}`,
      isLoose,
    };
  }

  #table(element: Element): string[] {
    const written = writeTable(element, (cell) => this.#cell(cell));
    if (written !== undefined) {
      return [written];
    }
    // Layout: what the cells hold, one after the other.
    return rowsOf(element).flatMap((row) => cellsOf(row).flatMap((cell) => this.#blocks(cell)));
  }

  /** A cell has one line: its blocks follow each other in it. */
  #cell(cell: Element): string {
    this.#isInCell = true;
    const blocks = this.#blocks(cell);
    this.#isInCell = false;
    return blocks.map((block) => block.replaceAll(/ {0,2}\n+/gu, ' ')).join(' ');
  }

  /** Blocks inside a link: the first text among them becomes the link. */
  #linkedBlocks(element: Element): string[] {
    const outer = this.#linkAround;
    this.#linkAround = resolveUrl(element.getAttribute('href'), this.#options.baseUrl) ?? outer;
    const blocks = this.#blocks(element);
    this.#linkAround = outer;
    return blocks;
  }

  #paragraph(nodes: readonly Node[]): string {
    const text = this.#line(nodes);
    // A cell has no blocks inside: nothing at the start of a line means anything there.
    if (this.#options.isPlain || this.#isInCell) {
      return text;
    }
    return text.split('\n').map(escapeLineStart).join('  \n');
  }

  /** Inline content as text, hard breaks as line ends; linked when a link stands around the block. */
  #line(nodes: readonly Node[]): string {
    const around = this.#linkAround;
    const wasInLink = this.#isInLink;
    this.#isInLink ||= around !== undefined;
    const text = joinInline(this.#inlineNodes(nodes));
    this.#isInLink = wasInLink;
    if (around === undefined || text === '' || this.#options.isPlain) {
      return text;
    }
    this.#linkAround = undefined;
    return `[${text.replaceAll('\n', ' ')}](${linkTarget(around)})`;
  }

  #inlineChildren(element: Element): InlinePiece[] {
    return this.#inlineNodes([...element.childNodes]);
  }

  /** The parser splits text at entities and comments: what stands side by side is one text. */
  #inlineNodes(nodes: readonly Node[]): InlinePiece[] {
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
      } else if (isElement(node) && !this.#isSilent(node)) {
        endText();
        pieces.push(...this.#inline(node));
      }
    }
    endText();
    return pieces;
  }

  #inline(node: Element): InlinePiece[] {
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
    return this.#isInCell && text.includes('\\|') ? this.#text(text) : codeSpan(text);
  }

  #marked(element: Element, mark: '*' | '**' | '~~'): InlinePiece[] {
    const pieces = this.#inlineChildren(element);
    // Emphasis inside the same emphasis says nothing.
    if (this.#options.isPlain || joinInline(pieces).includes(mark)) {
      return pieces;
    }
    return around(pieces, [{ kind: 'mark', mark, pieces }]);
  }

  #link(element: Element): InlinePiece[] {
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

  #image(element: Element): InlinePiece[] {
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

  #superscript(element: Element): InlinePiece[] {
    const text = element.textContent.trim();
    if (/^\[[^\]]{1,12}\]$/u.test(text)) {
      // A footnote's mark: its link leads to the foot of the same page.
      return [textPiece(this.#text(text))];
    }
    const pieces = this.#inlineChildren(element);
    return /^[-+−]?\d+$/u.test(text) ? [textPiece('^'), ...pieces] : pieces;
  }

  #media(element: Element): InlinePiece[] {
    const source =
      element.getAttribute('src') ?? element.querySelector('source')?.getAttribute('src');
    const url = resolveUrl(source, this.#options.baseUrl);
    return url === undefined || this.#options.isPlain
      ? []
      : [textPiece(`[${element.localName}](${linkTarget(url)})`)];
  }
}

/** Marks every inline element with a block somewhere inside, walking up from the blocks. */
function findContainers(root: Element): ReadonlySet<Node> {
  const containers = new Set<Node>();
  for (const element of root.querySelectorAll('*')) {
    if (!BLOCK_NAMES.has(element.localName)) {
      continue;
    }
    let parent = element.parentNode;
    while (parent !== null && parent !== root && !containers.has(parent)) {
      containers.add(parent);
      parent = parent.parentNode;
    }
  }
  return containers;
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

function mathPieces(element: Element): InlinePiece[] {
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

function checkboxOf(item: Element): string {
  const box = item.querySelector('input[type="checkbox"]');
  if (box === null || box.closest('li') !== item) {
    return '';
  }
  return box.hasAttribute('checked') ? '[x] ' : '[ ] ';
}

/** Indents every line but the first. */
function indent(text: string, width: number): string {
  return text.replaceAll(/\n(?=[^\n])/gu, `\n${' '.repeat(width)}`);
}

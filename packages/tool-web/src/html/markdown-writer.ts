import type { PageElement, PageNode } from '../dom/page-tree.ts';
import { readCode } from './code-text.ts';
import { BLOCK_NAMES, isElement, isUnseen } from './element-kinds.ts';
import { codeFence, escapeLineStart } from './escape-markdown.ts';
import { InlineWriter, type WriteOptions } from './inline-writer.ts';
import { linkTarget, resolveUrl } from './resolve-url.ts';
import { cellsOf, rowsOf, writeTable } from './write-table.ts';

/** Quotes and lists inside each other beyond this get no further prefix: each one would multiply every line. */
const MAX_PREFIXES = 12;

/**
 * Writes the tree below an element as Markdown: headings, nested lists, quotes, fenced code with its language, GFM tables, links and
 * images with absolute addresses. Only text that a reader would see appears; escaping is the least that keeps it text.
 *
 * The tree must not be deeper than the stack allows; see `flattenText` for such trees.
 */
export function writeMarkdown(root: PageElement, options: WriteOptions): string {
  return new MarkdownWriter(root, options).write();
}

class MarkdownWriter {
  readonly #root: PageElement;
  readonly #options: WriteOptions;
  /** Elements that are inline by name and yet have blocks inside. */
  readonly #containers: ReadonlySet<PageNode>;
  readonly #inline: InlineWriter;
  #linkAround: string | undefined;
  #prefixes = 0;

  constructor(root: PageElement, options: WriteOptions) {
    this.#root = root;
    this.#options = options;
    this.#inline = new InlineWriter(options);
    this.#containers = findContainers(root);
  }

  write(): string {
    return this.#blocks(this.#root).join('\n\n');
  }

  /**
   * Adds the blocks inside an element to others, which are returned: a page may have a million. Runs of inline content between blocks
   * become paragraphs.
   */
  #blocks(parent: PageElement, into: string[] = []): string[] {
    let run: PageNode[] = [];
    const endRun = (): void => {
      const text = this.#paragraph(run);
      run = [];
      if (text !== '') {
        into.push(text);
      }
    };
    for (const node of parent.childNodes) {
      if (isElement(node) && this.#isBlock(node)) {
        endRun();
        this.#block(node, into);
      } else {
        run.push(node);
      }
    }
    endRun();
    return into;
  }

  #isBlock(element: PageElement): boolean {
    return BLOCK_NAMES.has(element.localName) || this.#containers.has(element);
  }

  #block(element: PageElement, into: string[]): void {
    if (isUnseen(element, this.#options)) {
      return;
    }
    switch (element.localName) {
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        into.push(...this.#heading(element, Number(element.localName.slice(1))));
        return;
      case 'pre':
        into.push(...this.#code(element));
        return;
      case 'blockquote':
        this.#prefixed(element, into, (text) =>
          text.replaceAll(/^(?=.)/gmu, '> ').replaceAll(/^$/gmu, '>'),
        );
        return;
      case 'ul':
      case 'ol':
      case 'menu':
        this.#list(element, into);
        return;
      case 'table':
        this.#table(element, into);
        return;
      case 'hr':
        into.push('---');
        return;
      case 'dt':
      case 'summary':
        this.#strong(element, into);
        return;
      case 'dd':
        this.#prefixed(element, into, (text) => `: ${indent(text, 2)}`);
        return;
      case 'a':
        this.#linkedBlocks(element, into);
        return;
      default:
        this.#blocks(element, into);
    }
  }

  #heading(element: PageElement, level: number): string[] {
    const text = this.#line([element]).replaceAll('\n', ' ');
    if (text === '' || this.#options.isPlain) {
      return text === '' ? [] : [text];
    }
    // Hashes at the end would be taken as the heading's closing marks.
    return [`${'#'.repeat(level)} ${text.replace(/(?<=^|\s)(?=#+$)/u, '\\')}`];
  }

  #strong(element: PageElement, into: string[]): void {
    if (this.#hasBlocks(element)) {
      this.#blocks(element, into);
      return;
    }
    const text = this.#line([element]).replaceAll('\n', ' ');
    if (text !== '') {
      into.push(this.#options.isPlain || text.includes('**') ? text : `**${text}**`);
    }
  }

  #hasBlocks(element: PageElement): boolean {
    return [...element.children].some((child) => this.#isBlock(child));
  }

  #code(element: PageElement): string[] {
    const { code, language } = readCode(element);
    if (code.trim() === '') {
      return [];
    }
    return [this.#options.isPlain ? code : codeFence(code, language)];
  }

  #prefixed(element: PageElement, into: string[], prefix: (text: string) => string): void {
    if (this.#prefixes === MAX_PREFIXES) {
      this.#blocks(element, into);
      return;
    }
    this.#prefixes += 1;
    const blocks = this.#blocks(element);
    this.#prefixes -= 1;
    if (blocks.length > 0) {
      into.push(prefix(blocks.join('\n\n')));
    }
  }

  #list(element: PageElement, into: string[]): void {
    const items = [...element.children].filter((child) => !isUnseen(child, this.#options));
    if (this.#prefixes === MAX_PREFIXES) {
      for (const item of items) {
        this.#itemBlocks(item, into);
      }
      return;
    }
    let number = listNumber(element.getAttribute('start')) ?? 1;
    this.#prefixes += 1;
    const written: { readonly text: string; readonly isLoose: boolean }[] = [];
    for (const item of items) {
      number = listNumber(item.getAttribute('value')) ?? number;
      const marker = element.localName === 'ol' ? `${String(number)}. ` : '- ';
      const text = this.#item(item, marker);
      if (text !== undefined) {
        written.push(text);
        number += 1;
      }
    }
    this.#prefixes -= 1;
    const separator = written.some(({ isLoose }) => isLoose) ? '\n\n' : '\n';
    if (written.length > 0) {
      into.push(written.map(({ text }) => text).join(separator));
    }
  }

  #itemBlocks(item: PageElement, into: string[]): void {
    if (item.localName === 'li') {
      this.#blocks(item, into);
    } else {
      this.#block(item, into);
    }
  }

  #item(
    item: PageElement,
    marker: string,
  ): { readonly text: string; readonly isLoose: boolean } | undefined {
    const blocks: string[] = [];
    this.#itemBlocks(item, blocks);
    if (blocks.length === 0) {
      return undefined;
    }
    const isList = (block: string): boolean => /^(?:[-*]|\d+\.) /u.test(block);
    // Only lists may follow without a blank line, and only those that do not begin with another number than 1.
    const isLoose = blocks.slice(1).some((block) => !isList(block) || /^(?!1\.)\d/u.test(block));
    const text = blocks.join(isLoose ? '\n\n' : '\n');
    return { text: `${marker}${checkboxOf(item)}${indent(text, marker.length)}`, isLoose };
  }

  #table(element: PageElement, into: string[]): void {
    const written = writeTable(element, (cell) => this.#cell(cell));
    if (written !== undefined) {
      into.push(written);
      return;
    }
    // Layout: what the cells hold, one after the other.
    for (const row of rowsOf(element)) {
      for (const cell of cellsOf(row)) {
        this.#blocks(cell, into);
      }
    }
  }

  /** A cell has one line: its blocks follow each other in it. */
  #cell(cell: PageElement): string {
    this.#inline.isInCell = true;
    const blocks = this.#blocks(cell);
    this.#inline.isInCell = false;
    return blocks.map((block) => block.replaceAll(/ {0,2}\n+/gu, ' ')).join(' ');
  }

  /** Blocks inside a link: the first text among them becomes the link. */
  #linkedBlocks(element: PageElement, into: string[]): void {
    const outer = this.#linkAround;
    this.#linkAround = resolveUrl(element.getAttribute('href'), this.#options.baseUrl) ?? outer;
    this.#blocks(element, into);
    this.#linkAround = outer;
  }

  #paragraph(nodes: readonly PageNode[]): string {
    const text = this.#line(nodes);
    // A cell has no blocks inside: nothing at the start of a line means anything there.
    if (this.#options.isPlain || this.#inline.isInCell) {
      return text;
    }
    return text.split('\n').map(escapeLineStart).join('  \n');
  }

  /** Inline content as text, hard breaks as line ends; linked when a link stands around the block. */
  #line(nodes: readonly PageNode[]): string {
    const around = this.#linkAround;
    const text = this.#inline.write(nodes, { isInLink: around !== undefined });
    if (around === undefined || text === '' || this.#options.isPlain) {
      return text;
    }
    this.#linkAround = undefined;
    return `[${text.replaceAll('\n', ' ')}](${linkTarget(around)})`;
  }
}

/** Marks every inline element with a block somewhere inside, walking up from the blocks. */
function findContainers(root: PageElement): ReadonlySet<PageNode> {
  const containers = new Set<PageNode>();
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

/** A number that a list or an item begins with, where it says one that Markdown can. */
function listNumber(text: string | null): number | undefined {
  const number = Number.parseInt(text ?? '', 10);
  return Number.isSafeInteger(number) && number >= 0 && number < 1e9 ? number : undefined;
}

function checkboxOf(item: PageElement): string {
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

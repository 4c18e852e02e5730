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

  /** The blocks inside an element; runs of inline content between them become paragraphs. */
  #blocks(parent: PageElement): string[] {
    const blocks: string[] = [];
    let run: PageNode[] = [];
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

  #isBlock(element: PageElement): boolean {
    return BLOCK_NAMES.has(element.localName) || this.#containers.has(element);
  }

  #block(element: PageElement): string[] {
    if (isUnseen(element, this.#options)) {
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

  #heading(element: PageElement, level: number): string[] {
    const text = this.#line([element]).replaceAll('\n', ' ');
    if (text === '' || this.#options.isPlain) {
      return text === '' ? [] : [text];
    }
    // Hashes at the end would be taken as the heading's closing marks.
    return [`${'#'.repeat(level)} ${text.replace(/(?<=^|\s)(?=#+$)/u, '\\')}`];
  }

  #strong(element: PageElement): string[] {
    if (this.#hasBlocks(element)) {
      return this.#blocks(element);
    }
    const text = this.#line([element]).replaceAll('\n', ' ');
    if (text === '') {
      return [];
    }
    return [this.#options.isPlain || text.includes('**') ? text : `**${text}**`];
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

  #prefixed(element: PageElement, prefix: (text: string) => string): string[] {
    this.#prefixes += 1;
    const blocks = this.#blocks(element);
    const isTooDeep = this.#prefixes > MAX_PREFIXES;
    this.#prefixes -= 1;
    if (blocks.length === 0 || isTooDeep) {
      return blocks;
    }
    return [prefix(blocks.join('\n\n'))];
  }

  #list(element: PageElement): string[] {
    const items = [...element.children].filter((child) => !isUnseen(child, this.#options));
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
    item: PageElement,
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

  #table(element: PageElement): string[] {
    const written = writeTable(element, (cell) => this.#cell(cell));
    if (written !== undefined) {
      return [written];
    }
    // Layout: what the cells hold, one after the other.
    return rowsOf(element).flatMap((row) => cellsOf(row).flatMap((cell) => this.#blocks(cell)));
  }

  /** A cell has one line: its blocks follow each other in it. */
  #cell(cell: PageElement): string {
    this.#inline.isInCell = true;
    const blocks = this.#blocks(cell);
    this.#inline.isInCell = false;
    return blocks.map((block) => block.replaceAll(/ {0,2}\n+/gu, ' ')).join(' ');
  }

  /** Blocks inside a link: the first text among them becomes the link. */
  #linkedBlocks(element: PageElement): string[] {
    const outer = this.#linkAround;
    this.#linkAround = resolveUrl(element.getAttribute('href'), this.#options.baseUrl) ?? outer;
    const blocks = this.#blocks(element);
    this.#linkAround = outer;
    return blocks;
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

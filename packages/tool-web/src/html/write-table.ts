import type { PageElement } from '../dom/page-tree.ts';
import { isElement } from './element-kinds.ts';

/** Most columns that a cell can span; hostile pages ask for millions. */
const MAX_SPAN = 64;
/** Most columns of a table; what lies beyond is joined to the last one. */
const MAX_COLUMNS = 128;

/**
 * Writes a table as a GFM table: one line a row, pipes escaped, spans filled with empty cells. `undefined` when it is no table of
 * data but layout: one column, no rows, or tables inside.
 */
export function writeTable(
  table: PageElement,
  cellText: (cell: PageElement) => string,
): string | undefined {
  const rows = rowsOf(table);
  if (rows.length === 0 || table.querySelector('table') !== null || isPresentation(table)) {
    return undefined;
  }
  const grid = toGrid(rows, cellText);
  const width = grid.reduce((widest, row) => Math.max(widest, row.length), 0);
  if (width < 2) {
    return undefined;
  }
  const [head = [], ...body] = grid.map((row) => writeRow(row, width));
  const caption = table.querySelector('caption');
  const title = caption === null ? '' : cellText(caption);
  const lines = [head, `|${' --- |'.repeat(width)}`, ...body].join('\n');
  return title === '' ? lines : `${title}\n\n${lines}`;
}

/** Rows of this table, not of tables inside. */
export function rowsOf(table: PageElement): readonly PageElement[] {
  return [...table.children].flatMap((child) => {
    if (child.localName === 'tr') {
      return [child];
    }
    return ['thead', 'tbody', 'tfoot'].includes(child.localName)
      ? [...child.children].filter((row) => row.localName === 'tr')
      : [];
  });
}

/** Cells of a row. */
export function cellsOf(row: PageElement): readonly PageElement[] {
  return [...row.childNodes]
    .filter(isElement)
    .filter((cell) => cell.localName === 'td' || cell.localName === 'th');
}

function toGrid(
  rows: readonly PageElement[],
  cellText: (cell: PageElement) => string,
): readonly string[][] {
  // By column: how many rows below are still covered by a cell that spans them.
  const covered: number[] = [];
  return rows.map((row) => {
    const line: string[] = [];
    const beyond: string[] = [];
    const skipCovered = (): void => {
      while ((covered[line.length] ?? 0) > 0) {
        covered[line.length] = (covered[line.length] ?? 0) - 1;
        line.push('');
      }
    };
    for (const cell of cellsOf(row)) {
      skipCovered();
      const text = cellText(cell)
        .replaceAll(/\s*\n\s*/gu, ' ')
        .replaceAll('|', String.raw`\|`);
      if (line.length >= MAX_COLUMNS) {
        beyond.push(text);
        continue;
      }
      const below = spanOf(cell, 'rowspan') - 1;
      for (
        let column = 0;
        column < spanOf(cell, 'colspan') && line.length < MAX_COLUMNS;
        column += 1
      ) {
        covered[line.length] = below;
        line.push(column === 0 ? text : '');
      }
    }
    if (beyond.length > 0) {
      line[MAX_COLUMNS - 1] = [line[MAX_COLUMNS - 1] ?? '', ...beyond].join(' ').trim();
    }
    skipCovered();
    return line;
  });
}

function writeRow(cells: readonly string[], width: number): string {
  const filled = Array.from({ length: width }, (_, column) => cells[column] ?? '');
  return `|${filled.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}`;
}

function spanOf(cell: PageElement, name: 'colspan' | 'rowspan'): number {
  const span = Number(cell.getAttribute(name) ?? 1);
  return Number.isInteger(span) && span > 0 ? Math.min(span, MAX_SPAN) : 1;
}

function isPresentation(table: PageElement): boolean {
  const role = table.getAttribute('role');
  return role === 'presentation' || role === 'none';
}

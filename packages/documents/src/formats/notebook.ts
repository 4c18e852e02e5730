import { DocumentError } from '../document-error.ts';

/** Default for `NotebookOptions.maxOutputBytes`. */
export const DEFAULT_CELL_OUTPUT_BYTES = 8_192;

/** How a notebook is rendered. */
export interface NotebookOptions {
  /** Bytes of text outputs shown a cell; the rest is counted. Default 8,192. */
  readonly maxOutputBytes?: number;
}

/**
 * A Jupyter notebook (nbformat 3 and 4) as text: each cell under a mark with its number, kind and language, its source
 * as it is, then its text outputs; images and other data are named, not shown.
 *
 * @throws {DocumentError} `malformed` for JSON that is no notebook.
 */
export function notebookToText(json: string, options: NotebookOptions = {}): string {
  const { maxOutputBytes = DEFAULT_CELL_OUTPUT_BYTES } = options;
  const notebook = parse(json);
  const cells = cellsOf(notebook);
  if (cells === undefined) {
    throw new DocumentError('malformed', 'The file is JSON, but no notebook: it has no cells.');
  }
  const language = languageOf(notebook);
  const parts = cells.map((cell, index) => {
    const kind = stringAt(cell, 'cell_type') ?? 'raw';
    const label = kind === 'code' ? `code ${language}` : kind;
    const source = joined(field(cell, 'source') ?? field(cell, 'input'));
    const outputs = listAt(cell, 'outputs')
      .map(outputText)
      .filter((text) => text !== '');
    const shown = outputs.length === 0 ? '' : bounded(outputs.join('\n'), maxOutputBytes);
    const mark = `--- cell ${index + 1} of ${cells.length} [${label}] ---`;
    return [mark, source, ...(shown === '' ? [] : ['--- output ---', shown])]
      .filter((text) => text !== '')
      .join('\n');
  });
  return parts.length === 0 ? '' : `${parts.join('\n\n')}\n`;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new DocumentError('malformed', 'The notebook is no valid JSON.', { cause });
  }
}

function cellsOf(notebook: unknown): readonly unknown[] | undefined {
  const cells = field(notebook, 'cells');
  if (Array.isArray(cells)) return cells;
  const worksheets = field(notebook, 'worksheets');
  if (!Array.isArray(worksheets)) return undefined;
  return worksheets.flatMap((sheet: unknown) => listAt(sheet, 'cells'));
}

function languageOf(notebook: unknown): string {
  const metadata = field(notebook, 'metadata');
  return (
    stringAt(field(metadata, 'language_info'), 'name') ??
    stringAt(field(metadata, 'kernelspec'), 'language') ??
    'python'
  );
}

function outputText(output: unknown): string {
  const type = stringAt(output, 'output_type');
  if (type === 'stream') return joined(field(output, 'text'));
  if (type === 'error' || type === 'pyerr') {
    return `${stringAt(output, 'ename') ?? 'Error'}: ${stringAt(output, 'evalue') ?? ''}`;
  }
  const data = field(output, 'data') ?? output;
  const text = joined(field(data, 'text/plain') ?? field(data, 'text'));
  const others = Object.keys(typeof data === 'object' && data !== null ? data : {}).filter(
    (key) => key.includes('/') && !key.startsWith('text/'),
  );
  return [text, ...others.map((key) => `[${key} not shown]`)].filter(Boolean).join('\n');
}

function bounded(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text.replace(/\n$/, '');
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}\n[${bytes.length - end} more bytes of output not shown]`;
}

function field(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

function stringAt(value: unknown, key: string): string | undefined {
  const found = field(value, key);
  return typeof found === 'string' ? found : undefined;
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const found = field(value, key);
  return Array.isArray(found) ? found : [];
}

/** nbformat keeps text as one string or as a list of lines with their newlines. */
function joined(value: unknown): string {
  const text = Array.isArray(value)
    ? value.filter((part): part is string => typeof part === 'string').join('')
    : typeof value === 'string'
      ? value
      : '';
  return text.replace(/\n$/, '');
}

import { createHash } from 'node:crypto';
import { escapeText } from '../html/escape-markdown.ts';
import { convertPage } from '../html/convert-page.ts';
import type { ConvertOptions, PageFormat } from '../html/convert-page.ts';
import { indentJson } from '../json/indent-json.ts';
import type { LoadedPage } from './load-page.ts';
import type { PageBody } from './read-body.ts';

/** A page as text, ready to be paged: what later calls with an offset go on with. */
export interface PageSnapshot {
  readonly text: string;
  readonly sha256: string;
  readonly title: string;
  readonly kind: Exclude<PageBody['kind'], 'image'>;
  readonly contentType: string;
  readonly charset: string | undefined;
  readonly url: string;
  readonly status: number;
  readonly anchors: readonly string[];
  /** What a reader should know about the text. */
  readonly notes: readonly string[];
}

/** A page whose body is text of some kind. */
export type TextPage = LoadedPage & {
  readonly body: Exclude<PageBody, { readonly kind: 'image' }>;
};

/** Turns a loaded page into its text in the wanted format. */
export function renderSnapshot(
  page: TextPage,
  options: { readonly format: PageFormat; readonly bodyOnly: boolean },
): PageSnapshot {
  const { body } = page;
  const isXml = /^\s*application\/xhtml\+xml\b/iu.test(page.contentType);
  const rendered = renderBody(body, { ...options, url: page.url, isXml });
  return {
    ...rendered,
    notes: [...rendered.notes, ...notesOnAnswer(rendered, page.status)],
    sha256: createHash('sha256').update(rendered.text).digest('hex'),
    kind: body.kind,
    contentType: page.contentType,
    charset: 'charset' in body ? body.charset : undefined,
    url: page.url,
    status: page.status,
    anchors: page.anchors,
  };
}

/** What is not to be taken for a whole page: an answer without text, and a part that nobody asked for. */
function notesOnAnswer(rendered: Pick<PageSnapshot, 'text' | 'notes'>, status: number): string[] {
  const isEmpty = rendered.text.trim() === '' && rendered.notes.length === 0;
  return [
    ...(isEmpty ? [`The answer (status ${String(status)}) has no text.`] : []),
    ...(status === 206 ? ['The server sent a part of the page, not the whole.'] : []),
  ];
}

function renderBody(
  body: TextPage['body'],
  options: ConvertOptions,
): Pick<PageSnapshot, 'text' | 'title' | 'notes'> {
  switch (body.kind) {
    case 'html':
      return renderHtml(body.text, options);
    case 'json': {
      const indented = indentJson(body.text);
      return { text: indented ?? body.text, title: '', notes: [] };
    }
    case 'pdf': {
      const isCut = body.readPages < body.pages;
      const notes = isCut
        ? [`Only the first ${String(body.readPages)} of ${String(body.pages)} pages were read.`]
        : [];
      return { text: body.text, title: '', notes };
    }
    case 'text':
      return { text: body.text, title: '', notes: [] };
  }
}

function renderHtml(
  source: string,
  options: ConvertOptions,
): Pick<PageSnapshot, 'text' | 'title' | 'notes'> {
  const page = convertPage(source, options);
  const notes: string[] = [];
  if (page.isThin) {
    notes.push(
      'The page has little text of its own; scripts probably bring the rest, which is not shown.',
    );
  }
  if (page.isFlattened) {
    notes.push('The page is nested so deeply that only its text was taken, without structure.');
  }
  return { text: withTitle(page, options.format), title: page.title, notes };
}

/** Characters in which a page that shows its title does so. */
const TITLE_WITHIN = 1000;

/** Puts the title above a Markdown page that does not begin with it. */
function withTitle(
  page: { readonly text: string; readonly heading: string },
  format: PageFormat,
): string {
  const { text, heading } = page;
  if (format !== 'markdown' || heading === '' || text === '') {
    return text;
  }
  const beginning = text.slice(0, TITLE_WITHIN);
  const isTitled = text.startsWith('# ') || wordsOf(beginning).includes(wordsOf(heading));
  return isTitled ? text : `# ${escapeText(heading, { isInLink: false })}\n\n${text}`;
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

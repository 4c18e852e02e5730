import { createHash } from 'node:crypto';
import { convertPage } from '../html/convert-page.ts';
import type { PageFormat } from '../html/convert-page.ts';
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
  const rendered = renderBody(body, page.url, options);
  return {
    ...rendered,
    sha256: createHash('sha256').update(rendered.text).digest('hex'),
    kind: body.kind,
    contentType: page.contentType,
    charset: 'charset' in body ? body.charset : undefined,
    url: page.url,
    status: page.status,
    anchors: page.anchors,
  };
}

function renderBody(
  body: TextPage['body'],
  url: string,
  { format, bodyOnly }: { readonly format: PageFormat; readonly bodyOnly: boolean },
): Pick<PageSnapshot, 'text' | 'title' | 'notes'> {
  switch (body.kind) {
    case 'html':
      return renderHtml(body.text, { url, format, bodyOnly });
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
  options: { readonly url: string; readonly format: PageFormat; readonly bodyOnly: boolean },
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

/** Puts the title above a Markdown page that does not show one itself. */
function withTitle(
  page: { readonly text: string; readonly title: string },
  format: PageFormat,
): string {
  const isTitled = page.title === '' || /^# /mu.test(page.text) || page.text === '';
  return format === 'markdown' && !isTitled ? `# ${page.title}\n\n${page.text}` : page.text;
}

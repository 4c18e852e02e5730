/** Where a piece of text will stand. */
export interface EscapeContext {
  /** Inside the text of a link, where brackets must not end it. */
  readonly isInLink: boolean;
}

/** Without one of these nothing has to be escaped within a line. */
const MARKUP = /[\\`*_~&<[\]]/u;

/**
 * Escapes the characters of plain text that Markdown (CommonMark with GFM's tables and strikethrough) would read as markup, and only
 * those: `snake_case`, `2 * 3` and single brackets stay as they are. Text is one line; see {@link escapeLineStart} for what matters
 * at the beginning of one.
 */
export function escapeText(text: string, { isInLink }: EscapeContext): string {
  if (!MARKUP.test(text)) {
    return text;
  }
  const escaped = text
    .replaceAll(/\\(?=[!-/:-@[-`{-~]| ?$)/gu, String.raw`\\`)
    .replaceAll('`', '\\`')
    .replaceAll(/(?<=\S|^ ?)\*|\*(?=\S| ?$)/gu, String.raw`\*`)
    .replaceAll(/(?<![\p{L}\p{N}])_(?=\S| ?$)|(?<=\S|^ ?)_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll(/(?<=\S|^ ?)~/gu, String.raw`\~`)
    .replaceAll(/&(?=#?\w+;)/gu, String.raw`\&`)
    .replaceAll(/<([a-z/!?][^<>]*)>/giu, String.raw`\<$1\>`)
    .replaceAll(/(?<!\\)<(?=[a-z/!?])/giu, String.raw`\<`);
  return isInLink
    ? escaped.replaceAll(/[[\]]/gu, String.raw`\$&`)
    : escaped.replaceAll(/\](?=[([:])/gu, String.raw`\]`);
}

/** Escapes what would make a heading, a list, a quote, a rule, a fence or the line below a table's head. */
export function escapeLineStart(line: string): string {
  return line
    .replace(/^(?=#{1,6}(?:\s|$)|[-+*](?:\s|$)|>|~~~|=+\s*$|[-|:][-|:\s]*$)/u, '\\')
    .replace(/^(\d{1,9})(?=[.)](?:\s|$))/u, '$1\\');
}

/** A code span around text: fenced by one backtick more than it contains in a row, padded where it begins or ends with one. */
export function codeSpan(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** A fenced block around code; the fence is longer than any run of backticks inside. */
export function codeFence(code: string, language: string): string {
  const fence = '`'.repeat(Math.max(longestRun(code) + 1, 3));
  return `${fence}${language}\n${code}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
}

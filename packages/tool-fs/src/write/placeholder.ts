/** Marks that open or close a comment, in whatever language. */
const COMMENT_MARKS =
  /^(?:\/\/+|#+|--+|;+|%+|\/\*+|\*+|<!--+|\{\/\*|"""|''')\s*|\s*(?:\*+\/\}?|--+>|"""|''')$/g;
const ELLIPSIS = /^(?:\.{3,}|…)|(?:\.{3,}|…)$/;

/** Words that say that something was left out. */
const TELLING = words(
  'rest remainder remaining unchanged existing omitted unmodified elided previous same',
);
/** Words that may stand beside them in a placeholder. A line with any other word is text. */
const ALLOWED = words(
  'the a of all as is are was were stays stay remains remain kept keep before above below here for brevity clarity ' +
    'original your this that and in with to be goes go no changes change not shown other others unaltered untouched',
);
/** What is said to be left out. */
const NOUNS = words(
  'code file function functions method methods class classes content contents line lines implementation implementations ' +
    'imports import module document text section sections body logic test tests properties fields definitions',
);
/** Words without which a line that has no ellipsis is a plain comment. */
const LEFT_OUT = words('unchanged omitted unmodified elided same remains remain stays');

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/**
 * The first line (0-based) of a text that only says that code was left out (`// ... rest of the code unchanged ...`),
 * or `undefined`. Only short lines that have nothing but such words count, and not those that the old text has too.
 */
export function findPlaceholder(
  text: string,
  old: string,
): { readonly line: number; readonly text: string } | undefined {
  const lines = text.split('\n');
  for (const [line, content] of lines.entries()) {
    if (!isPlaceholder(content)) continue;
    const shown = content.trim();
    if (!old.split('\n').some((known) => known.trim() === shown)) return { line, text: shown };
  }
  return undefined;
}

/** Characters of a line that is looked at. */
const MAX_LINE = 160;

function isPlaceholder(line: string): boolean {
  if (line.length > MAX_LINE) return false;
  const trimmed = line.trim();
  const uncommented = trimmed.replaceAll(COMMENT_MARKS, '');
  const bare = uncommented
    .replace(/^[([{<]+\s*/, '')
    .replace(/\s*[)\]}>]+$/, '')
    .trim();
  const found = bare.toLowerCase().match(/[\p{L}\d']+/gu) ?? [];
  const isAbout = (set: ReadonlySet<string>): boolean => found.some((word) => set.has(word));
  if (!isAbout(TELLING)) return false;
  if (!found.every((word) => TELLING.has(word) || ALLOWED.has(word) || NOUNS.has(word)))
    return false;
  if (ELLIPSIS.test(bare)) return true;
  return uncommented !== trimmed && isAbout(NOUNS) && isAbout(LEFT_OUT);
}

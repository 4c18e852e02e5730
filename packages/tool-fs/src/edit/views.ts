import { createView } from './text-view.ts';
import type { TextView, ViewException } from './text-view.ts';

/** The text with every CRLF as LF. */
export function lineEndingView(text: string): TextView {
  const exceptions: ViewException[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) {
    exceptions.push({ raw: at, rawLength: 2, shown: '\n' });
  }
  return createView(text, exceptions);
}

/** The text with every CRLF as LF and no blanks or tabs before it or at the end. */
export function trailingSpaceView(text: string): TextView {
  const exceptions: ViewException[] = [];
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    const end = endOfContent(text, lineStart, at);
    if (end < at) exceptions.push({ raw: end, rawLength: at + 1 - end, shown: '\n' });
    lineStart = at + 1;
  }
  const end = endOfContent(text, lineStart, text.length);
  if (end < text.length) exceptions.push({ raw: end, rawLength: text.length - end, shown: '' });
  return createView(text, exceptions);
}

/** Where a line's content ends: before its blanks, tabs and one CR at the end. */
function endOfContent(text: string, start: number, lineEnd: number): number {
  let end = lineEnd;
  if (end > start && text[end - 1] === '\r' && text[lineEnd] === '\n') end -= 1;
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return end;
}

/** Characters that look like an ASCII one, by what they look like. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  (
    [
      ["'", '\u2018\u2019\u201a\u201b\u2032\u02bc\uff07'],
      ['"', '\u201c\u201d\u201e\u201f\u2033\uff02'],
      ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d'],
      [' ', '\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'],
      ['...', '\u2026'],
    ] as const
  ).flatMap(([shown, characters]) => Array.from(characters, (character) => [character, shown])),
);

/**
 * Candidates for another spelling: CRLF, look-alikes, a character with combining marks, Hangul in parts, and the three
 * characters that only ever mean another one (Ångström, Ohm, Kelvin).
 */
const SPELLINGS =
  /\r\n|[\u2018-\u201f\u2010-\u2015\u2026\u2032\u2033\u02bc\u2212\ufe63\uff02\uff07\uff0d\u00a0\u2002-\u200a\u202f\u205f\u3000]|\P{M}\p{M}+|[\u1100-\u11ff]+|[\u212a\u212b\u2126]/gu;

/**
 * The text with every CRLF as LF, typographic quotes, dashes and spaces as the ASCII ones, and characters with
 * combining marks in composed form (NFC).
 */
export function unicodeView(text: string): TextView {
  const exceptions: ViewException[] = [];
  for (const match of text.matchAll(SPELLINGS)) {
    const [found] = match;
    const shown = found === '\r\n' ? '\n' : (LOOK_ALIKES.get(found) ?? found.normalize('NFC'));
    if (shown !== found) exceptions.push({ raw: match.index, rawLength: found.length, shown });
  }
  return createView(text, exceptions);
}

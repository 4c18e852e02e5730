/**
 * The line ending at a place of a text: that of the line which holds it, or of the line before when that is the last
 * one; `undefined` in a text of one line.
 */
export function lineEndingAt(text: string, offset: number): '\n' | '\r\n' | undefined {
  const next = text.indexOf('\n', offset);
  const at = next >= 0 ? next : text.lastIndexOf('\n', offset - 1);
  if (at < 0 || (next < 0 && offset === 0)) return undefined;
  return text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** A text with LF alone, written with the line ending of the place where it goes; unchanged where there is none. */
export function withLineEndings(text: string, offset: number, inserted: string): string {
  if (!inserted.includes('\n')) return inserted;
  return lineEndingAt(text, offset) === '\r\n' ? inserted.replaceAll('\n', '\r\n') : inserted;
}

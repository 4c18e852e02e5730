import { malformedDiff } from './malformed-diff.ts';

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

/** A file name and what follows it on its line. */
export interface QuotedPath {
  readonly path: string;
  readonly rest: string;
}

/**
 * Reads a C-style quoted name as git writes it (`core.quotePath`): `text` begins with `"`. Octal escapes
 * are bytes, decoded together as UTF-8; a name that is no UTF-8 is refused.
 *
 * @param diffLine 1-based, for the error
 */
export function readQuotedPath(text: string, diffLine: number): QuotedPath {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  let at = 1;
  for (;;) {
    const character = text[at];
    if (character === undefined)
      throw malformedDiff(diffLine, 'a quoted file name has no closing quote.');
    if (character === '"') break;
    if (character === '\\') {
      const escape = text[at + 1] ?? '';
      const simple = simpleEscapes[escape];
      if (simple !== undefined) {
        bytes.push(simple);
        at += 2;
        continue;
      }
      const octal = /^[0-3][0-7]{2}/u.exec(text.slice(at + 1, at + 4));
      if (octal === null) {
        throw malformedDiff(diffLine, `\\${escape} is no escape of a quoted file name.`);
      }
      bytes.push(Number.parseInt(octal[0], 8));
      at += 4;
      continue;
    }
    const point = String.fromCodePoint(text.codePointAt(at) ?? 0);
    bytes.push(...encoder.encode(point));
    at += point.length;
  }
  try {
    const path = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(bytes),
    );
    return { path, rest: text.slice(at + 1) };
  } catch {
    throw malformedDiff(
      diffLine,
      'the quoted file name is not UTF-8; such names are not supported.',
    );
  }
}

import { includesCodePoint, setOfRanges, unionOf, type CodePointSet } from './code-point-set.ts';

/**
 * Adds to a set every code point that equals a member under Unicode simple case folding (`k`, `K` and the
 * Kelvin sign), as `(?i)` means it.
 */
export function foldCase(set: CodePointSet): CodePointSet {
  const extra: [number, number][] = [];
  const ascii = (set.at(-1) ?? 0) < 0x80;
  for (const group of ascii ? asciiGroups : caseGroups()) {
    if (group.some((codePoint) => includesCodePoint(set, codePoint))) {
      for (const codePoint of group) extra.push([codePoint, codePoint]);
    }
  }
  return extra.length === 0 ? set : unionOf(set, setOfRanges(extra));
}

/** What folds together with an ASCII letter: its other case, and for k and s one sign more. */
const asciiGroups: readonly (readonly number[])[] = Array.from({ length: 26 }, (_, index) => {
  const group = [0x41 + index, 0x61 + index];
  if (index === 0x0a) group.push(0x212a);
  if (index === 0x12) group.push(0x17f);
  return group;
});

let groups: readonly (readonly number[])[] | undefined;

/** Code points that fold together, each in one group; computed once from the engine's own tables. */
function caseGroups(): readonly (readonly number[])[] {
  groups ??= computeGroups();
  return groups;
}

function computeGroups(): readonly (readonly number[])[] {
  const byKey = new Map<string, number[]>();
  const cased = /[\p{Changes_When_Casemapped}\p{Lu}\p{Ll}\p{Lt}]/u;
  for (let codePoint = 0x41; codePoint <= lastCased; codePoint += 1) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    const text = String.fromCodePoint(codePoint);
    if (!cased.test(text)) continue;
    const key = foldKey(text);
    const members = byKey.get(key);
    if (members === undefined) byKey.set(key, [codePoint]);
    else members.push(codePoint);
  }
  return [...byKey.values(), ...withoutSimpleUpperCase].filter(
    (group) => group.length > 1 && foldsTogether(textOf(group[0]), textOf(group[1])),
  );
}

/** Letters that fold together although their upper case is several characters. */
const withoutSimpleUpperCase: readonly (readonly number[])[] = [
  [0x390, 0x1fd3],
  [0x3b0, 0x1fe3],
  [0xfb05, 0xfb06],
];

function textOf(codePoint: number | undefined): string {
  return String.fromCodePoint(codePoint ?? 0);
}

/** No cased letter lies beyond (Adlam, at U+1E943, is the last). */
const lastCased = 0x1e9ff;

/**
 * The simple folding of one character: lower case of the upper case where both are single characters. The
 * engine's own case-insensitive matching, which is simple folding, has the last word on each step.
 */
function foldKey(text: string): string {
  const upper = text.toUpperCase();
  const base = isOneCharacter(upper) && foldsTogether(text, upper) ? upper : text;
  const lower = base.toLowerCase();
  return isOneCharacter(lower) && foldsTogether(text, lower) ? lower : base;
}

function isOneCharacter(text: string): boolean {
  return text.length === String.fromCodePoint(text.codePointAt(0) ?? 0).length;
}

function foldsTogether(a: string, b: string): boolean {
  return a === b || new RegExp(`^\\u{${(a.codePointAt(0) ?? 0).toString(16)}}$`, 'iu').test(b);
}

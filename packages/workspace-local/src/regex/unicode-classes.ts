import { maxCodePoint, setOfRanges, type CodePointSet } from './code-point-set.ts';

const cache = new Map<string, CodePointSet>();

/** The code points with a Unicode property, as the JavaScript engine's tables have it; undefined for an unknown one. */
export function unicodeProperty(name: string): CodePointSet | undefined {
  for (const expression of spellingsOf(name)) {
    const set = evaluate(`\\p{${expression}}`);
    if (set !== undefined) return set;
  }
  return undefined;
}

/** `\d`: decimal digits of every script. */
export const digitSet = (): CodePointSet => evaluateKnown('\\p{Nd}');
/** `\s`: White_Space. */
export const spaceSet = (): CodePointSet => evaluateKnown('\\p{White_Space}');
/** `\w` as UTS #18 Annex C has it, which is what ripgrep takes. */
export const wordSet = (): CodePointSet =>
  evaluateKnown('\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}');

const posix: ReadonlyMap<string, readonly (readonly [number, number])[]> = new Map([
  [
    'alnum',
    [
      [0x30, 0x39],
      [0x41, 0x5a],
      [0x61, 0x7a],
    ],
  ],
  [
    'alpha',
    [
      [0x41, 0x5a],
      [0x61, 0x7a],
    ],
  ],
  ['ascii', [[0x00, 0x7f]]],
  [
    'blank',
    [
      [0x09, 0x09],
      [0x20, 0x20],
    ],
  ],
  [
    'cntrl',
    [
      [0x00, 0x1f],
      [0x7f, 0x7f],
    ],
  ],
  ['digit', [[0x30, 0x39]]],
  ['graph', [[0x21, 0x7e]]],
  ['lower', [[0x61, 0x7a]]],
  ['print', [[0x20, 0x7e]]],
  [
    'punct',
    [
      [0x21, 0x2f],
      [0x3a, 0x40],
      [0x5b, 0x60],
      [0x7b, 0x7e],
    ],
  ],
  [
    'space',
    [
      [0x09, 0x0d],
      [0x20, 0x20],
    ],
  ],
  ['upper', [[0x41, 0x5a]]],
  [
    'word',
    [
      [0x30, 0x39],
      [0x41, 0x5a],
      [0x5f, 0x5f],
      [0x61, 0x7a],
    ],
  ],
  [
    'xdigit',
    [
      [0x30, 0x39],
      [0x41, 0x46],
      [0x61, 0x66],
    ],
  ],
]);

/** `[:name:]`, ASCII only; undefined for an unknown one. */
export function posixClass(name: string): CodePointSet | undefined {
  const ranges = posix.get(name);
  return ranges === undefined ? undefined : setOfRanges(ranges);
}

function evaluateKnown(members: string): CodePointSet {
  const set = evaluate(members);
  if (set === undefined) throw new TypeError(`This engine lacks the Unicode class [${members}].`);
  return set;
}

/** Finds the members of a class by running it over every character once; some milliseconds, then cached. */
function evaluate(members: string): CodePointSet | undefined {
  const known = cache.get(members);
  if (known !== undefined) return known;
  let matcher: RegExp;
  try {
    matcher = new RegExp(`[${members}]+`, 'gu');
  } catch {
    return undefined;
  }
  const ranges: [number, number][] = [];
  for (let from = 0; from <= maxCodePoint; from += blockSize) {
    const block = blockText(from);
    for (const match of block.matchAll(matcher)) {
      const low = match[0].codePointAt(0) ?? 0;
      let last = match[0].charCodeAt(match[0].length - 1);
      if (last >= 0xdc00 && last <= 0xdfff)
        last = match[0].codePointAt(match[0].length - 2) ?? last;
      ranges.push([low, last]);
    }
  }
  const set = setOfRanges(ranges);
  cache.set(members, set);
  return set;
}

const blockSize = 0x1000;

/** A run of members never crosses a gap: the block leaves out surrogates alone. */
function blockText(from: number): string {
  if (from >= 0xd000 && from < 0xe000) return textOf(0xd000, 0xd7ff);
  return textOf(from, Math.min(from + blockSize - 1, maxCodePoint));
}

function textOf(low: number, high: number): string {
  const points = Array.from({ length: high - low + 1 }, (_, index) => low + index);
  return String.fromCodePoint(...points);
}

/** Ways in which JavaScript may spell a property that others write loosely: `greek`, `sc=Greek`, `gc:Lu`, `L`. */
function* spellingsOf(name: string): Generator<string> {
  const [left, right] = name.trim().split(/\s*[=:]\s*/, 2);
  if (left === undefined || !/^[A-Za-z0-9_ -]+$/.test(left)) return;
  if (right !== undefined) {
    if (!/^[A-Za-z0-9_ -]+$/.test(right)) return;
    const key = {
      sc: 'Script',
      script: 'Script',
      scx: 'Script_Extensions',
      gc: 'General_Category',
    }[left.toLowerCase()];
    for (const value of casings(right)) yield `${key ?? left}=${value}`;
    return;
  }
  for (const value of casings(left)) {
    yield value;
    yield `Script=${value}`;
  }
}

function casings(word: string): string[] {
  const title = word
    .split(/[_ -]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase())
    .join('_');
  return [word, title, word.toUpperCase(), word.toLowerCase()];
}

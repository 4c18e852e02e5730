/** Told of each token: a range of the lower-cased text. */
export type TokenSink = (start: number, end: number) => void;

const lower = 1;
const upper = 2;
const digit = 3;
const underscore = 4;
const letter = 5;
const ideograph = 6;

/** Longer runs are no words but encoded data. */
const maxWordLength = 128;

const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 0x61 && code <= 0x7a) return lower;
  if (code >= 0x41 && code <= 0x5a) return upper;
  if (code >= 0x30 && code <= 0x39) return digit;
  return code === 0x5f ? underscore : 0;
});

/** A text in lower case, unit for unit: where lower case would change its length, ASCII alone is folded. */
export function lowerUnits(text: string): string {
  const folded = text.toLowerCase();
  if (folded.length === text.length) return folded;
  return text.replace(/[A-Z]+/g, (run) => run.toLowerCase());
}

/**
 * Finds the tokens of source code and prose: each word whole, then its parts at underscores, at changes of case and
 * at digits, every one once a word; each ideograph, and each pair of neighbouring ones. Ranges are of
 * {@link lowerUnits} of the same text.
 */
export function scanTokens(text: string, folded: string, sink: TokenSink): void {
  const { length } = text;
  let i = 0;
  while (i < length) {
    const kind = kindAt(text, i);
    if (kind === 0) i += 1;
    else if (kind === ideograph) {
      sink(i, i + 1);
      if (i > 0 && kindAt(text, i - 1) === ideograph) sink(i - 1, i + 1);
      i += 1;
    } else i = scanWord(text, folded, { start: i, sink });
  }
}

/** The tokens themselves, in order. */
export function tokensOf(text: string): string[] {
  const folded = lowerUnits(text);
  const tokens: string[] = [];
  scanTokens(text, folded, (start, end) => tokens.push(folded.slice(start, end)));
  return tokens;
}

function scanWord(
  text: string,
  folded: string,
  { start, sink }: { readonly start: number; readonly sink: TokenSink },
): number {
  let end = start;
  let isPlain = true;
  let hasLetter = false;
  const first = kindAt(text, start);
  for (; end < text.length; end += 1) {
    const kind = kindAt(text, end);
    if (kind === 0 || kind === ideograph) break;
    if (kind !== underscore) hasLetter = true;
    if (kind !== first) isPlain = false;
  }
  if (!hasLetter || end - start > maxWordLength) return end;
  sink(start, end);
  // One kind all through, or a capital and then small letters: there are no parts.
  if (!isPlain && !isCapitalised(text, start, end)) emitParts(text, folded, { start, end, sink });
  return end;
}

function isCapitalised(text: string, start: number, end: number): boolean {
  if (kindAt(text, start) !== upper) return false;
  for (let i = start + 1; i < end; i += 1) if (kindAt(text, i) !== lower) return false;
  return true;
}

function emitParts(
  text: string,
  folded: string,
  word: { readonly start: number; readonly end: number; readonly sink: TokenSink },
): void {
  const given: (readonly [number, number])[] = [[word.start, word.end]];
  const give = (start: number, end: number) => {
    if (start >= end) return;
    const isKnown = given.some(
      ([from, to]) =>
        to - from === end - start && folded.startsWith(folded.slice(start, end), from),
    );
    if (isKnown) return;
    given.push([start, end]);
    word.sink(start, end);
  };
  let segment = word.start;
  for (let i = word.start; i <= word.end; i += 1) {
    if (i < word.end && kindAt(text, i) !== underscore) continue;
    give(segment, i);
    let part = segment;
    for (let j = segment + 1; j < i; j += 1) {
      if (!splitsBefore(text, j, i)) continue;
      give(part, j);
      part = j;
    }
    give(part, i);
    segment = i + 1;
  }
}

/** Whether a part begins at `at`, inside of a segment that ends at `end`. */
function splitsBefore(text: string, at: number, end: number): boolean {
  const before = kindAt(text, at - 1);
  const here = kindAt(text, at);
  if ((before === digit) !== (here === digit)) return true;
  if (here !== upper) return false;
  return before === lower || (before === upper && at + 1 < end && kindAt(text, at + 1) === lower);
}

function kindAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 128) return asciiKinds[code] ?? 0;
  if (isIdeograph(code)) return ideograph;
  return isLetter(code) ? letter : 0;
}

function isIdeograph(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7af) ||
    (code >= 0xf900 && code <= 0xfaff)
  );
}

/** Looked up once a character; both halves of a surrogate pair count as letters. */
const letters = new Map<number, boolean>();

function isLetter(code: number): boolean {
  let known = letters.get(code);
  if (known === undefined) {
    known = /[\p{L}\p{N}\p{M}\p{Surrogate}]/u.test(String.fromCharCode(code));
    letters.set(code, known);
  }
  return known;
}

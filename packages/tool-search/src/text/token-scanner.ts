/** Told of each token: a range of the text. */
export type TokenSink = (start: number, end: number) => void;

const lower = 1;
const upper = 2;
const digit = 3;
const underscore = 4;
const letter = 5;
const ideograph = 6;
const unknown = 255;

/** Longer runs are no words but encoded data. */
const maxWordLength = 128;

/** For each code unit what it is, where that is known: letters beyond ASCII are looked up when they are met. */
const kinds = Uint8Array.from({ length: 65_536 }, (_, code) => {
  if (code >= 128) return isIdeograph(code) ? ideograph : unknown;
  if (code >= 0x61 && code <= 0x7a) return lower;
  if (code >= 0x41 && code <= 0x5a) return upper;
  if (code >= 0x30 && code <= 0x39) return digit;
  return code === 0x5f ? underscore : 0;
});

/**
 * Finds the tokens of source code and prose: each word whole, then its parts at underscores, at changes of case and
 * at digits, every one once a word; each ideograph, and each pair of neighbouring ones. One scanner serves many texts,
 * one after the other: it keeps the code units of the last one, in lower case too, and allocates nothing for a token.
 */
export class TokenScanner {
  #text = '';
  /** In lower case; undefined for ASCII, which is folded unit by unit. */
  #lowered: string | undefined;
  #units = new Uint16Array(256);
  #folded = new Uint16Array(256);
  /** Ranges of the tokens of one word. */
  readonly #given = new Int32Array(maxWordLength * 4);

  /** The code units of the text in lower case. Beyond its end they are those of earlier texts. */
  get folded(): Uint16Array {
    return this.#folded;
  }

  load(text: string): void {
    this.#text = text;
    this.#lowered = undefined;
    if (this.#units.length < text.length) {
      this.#units = new Uint16Array(text.length * 2);
      this.#folded = new Uint16Array(text.length * 2);
    }
    const units = this.#units;
    const folded = this.#folded;
    let seen = 0;
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      seen |= code;
      units[i] = code;
      folded[i] = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
    }
    if (seen < 128) return;
    const lowered = lowerUnits(text);
    for (let i = 0; i < text.length; i += 1) folded[i] = lowered.charCodeAt(i);
    this.#lowered = lowered;
  }

  /** A part of the text in lower case. */
  cut(start: number, end: number): string {
    return this.#lowered?.slice(start, end) ?? this.#text.slice(start, end).toLowerCase();
  }

  /** Finds the tokens from one place to another, as if that were all of the text. */
  scan(from: number, to: number, sink: TokenSink): void {
    const units = this.#units;
    let i = from;
    while (i < to) {
      const kind = kindOf(units[i] ?? 0);
      if (kind === 0) i += 1;
      else if (kind === ideograph) {
        sink(i, i + 1);
        if (i > from && kindOf(units[i - 1] ?? 0) === ideograph) sink(i - 1, i + 1);
        i += 1;
      } else i = this.#scanWord(i, to, sink);
    }
  }

  #scanWord(start: number, to: number, sink: TokenSink): number {
    const units = this.#units;
    const first = kindOf(units[start] ?? 0);
    let end = start;
    let seen = 0;
    let afterFirst = 0;
    for (; end < to; end += 1) {
      const kind = kindOf(units[end] ?? 0);
      if (kind === 0 || kind === ideograph) break;
      if (end > start) afterFirst |= 1 << kind;
      seen |= 1 << kind;
    }
    if (seen === 1 << underscore || end - start > maxWordLength) return end;
    sink(start, end);
    // One kind all through, or a capital and then small letters: there are no parts.
    const isPlain = seen === 1 << first || (first === upper && afterFirst === 1 << lower);
    if (!isPlain) this.#giveParts(start, end, sink);
    return end;
  }

  #giveParts(start: number, end: number, sink: TokenSink): void {
    const units = this.#units;
    const given = this.#given;
    given[0] = start;
    given[1] = end;
    let count = 1;
    let segment = start;
    for (let i = start; i <= end; i += 1) {
      if (i < end && kindOf(units[i] ?? 0) !== underscore) continue;
      count = this.#give(segment, i, { count, sink });
      let part = segment;
      for (let j = segment + 1; j < i; j += 1) {
        if (!splitsBefore(units, j, i)) continue;
        count = this.#give(part, j, { count, sink });
        part = j;
      }
      count = this.#give(part, i, { count, sink });
      segment = i + 1;
    }
  }

  /** Tells of a part, unless the word had it before; returns how many tokens it has now. */
  #give(
    start: number,
    end: number,
    { count, sink }: { readonly count: number; readonly sink: TokenSink },
  ): number {
    const given = this.#given;
    if (start >= end) return count;
    for (let i = 0; i < count; i += 1) {
      const from = given[i * 2] ?? 0;
      const length = (given[i * 2 + 1] ?? 0) - from;
      if (length === end - start && this.#isSame(from, start, length)) return count;
    }
    given[count * 2] = start;
    given[count * 2 + 1] = end;
    sink(start, end);
    return count + 1;
  }

  #isSame(a: number, b: number, length: number): boolean {
    const folded = this.#folded;
    let at = 0;
    while (at < length && folded[a + at] === folded[b + at]) at += 1;
    return at === length;
  }
}

/** Names, words and lines share a scanner; what a longer text needs is let go of with it. */
const sharedLength = 1024;
const shared = new TokenScanner();

/** The tokens of a text, in order. */
export function tokensOf(text: string): string[] {
  const scanner = text.length > sharedLength ? new TokenScanner() : shared;
  const tokens: string[] = [];
  scanner.load(text);
  scanner.scan(0, text.length, (start, end) => tokens.push(scanner.cut(start, end)));
  return tokens;
}

/** A text in lower case, unit for unit: where lower case would change its length, ASCII alone is folded. */
function lowerUnits(text: string): string {
  const folded = text.toLowerCase();
  if (folded.length === text.length) return folded;
  return text.replace(/[A-Z]+/g, (run) => run.toLowerCase());
}

/** Whether a part begins at `at`, inside of a segment that ends at `end`. */
function splitsBefore(units: Uint16Array, at: number, end: number): boolean {
  const before = kindOf(units[at - 1] ?? 0);
  const here = kindOf(units[at] ?? 0);
  if ((before === digit) !== (here === digit)) return true;
  if (here !== upper) return false;
  return (
    before === lower || (before === upper && at + 1 < end && kindOf(units[at + 1] ?? 0) === lower)
  );
}

function kindOf(code: number): number {
  const kind = kinds[code] ?? 0;
  return kind === unknown ? learnKind(code) : kind;
}

/** Both halves of a surrogate pair count as letters. */
function learnKind(code: number): number {
  const kind = /[\p{L}\p{N}\p{M}\p{Surrogate}]/u.test(String.fromCharCode(code)) ? letter : 0;
  kinds[code] = kind;
  return kind;
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

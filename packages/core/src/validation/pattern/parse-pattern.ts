/** The parts of a regular expression that can be matched in linear time. */
export type PatternNode =
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly body: PatternNode;
      readonly min: number;
      readonly max: number;
    }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'boundary'; readonly negative: boolean }
  | { readonly kind: 'lookahead'; readonly body: PatternNode; readonly negative: boolean };

/**
 * Parses a regular expression of ECMA-262 with the `u` flag. The platform's own compiler has accepted it before,
 * so syntax is taken as valid here. `undefined` for what has no linear-time match: back-references and lookbehind.
 */
export function parsePattern(source: string): PatternNode | undefined {
  const parser = new Parser(source);
  try {
    return parser.choice();
  } catch (error) {
    if (error instanceof NotLinear) return undefined;
    throw error;
  }
}

class NotLinear extends Error {}

const GROUP_OPENINGS = /\((?:\?(?:[:=!]|<(?![=!])[^>]*>))?/uy;
const QUANTIFIERS = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/uy;
// One escape: property, code point, UTF-16 unit (a pair is one code point), byte, control, or a single character.
const ESCAPES =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[\s\S])/uy;

class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#peek() === '|') {
      this.#at += 1;
      options.push(this.#sequence());
    }
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    for (
      let next = this.#peek();
      next !== '' && next !== '|' && next !== ')';
      next = this.#peek()
    ) {
      parts.push(this.#quantified(this.#atom(next)));
    }
    return { kind: 'sequence', parts };
  }

  #atom(next: string): PatternNode {
    switch (next) {
      case '^':
        this.#at += 1;
        return { kind: 'start' };
      case '$':
        this.#at += 1;
        return { kind: 'end' };
      case '(':
        return this.#group();
      case '[':
        return { kind: 'character', source: this.#class() };
      case '\\':
        return this.#escape();
      default: {
        const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
        this.#at += character.length;
        // A lone surrogate or a plain character matches itself; `.` keeps its meaning.
        return { kind: 'character', source: character };
      }
    }
  }

  #group(): PatternNode {
    const opening = this.#take(GROUP_OPENINGS)?.[0];
    if (opening === undefined || this.#source.startsWith('?', this.#at)) throw new NotLinear();
    const body = this.choice();
    this.#at += 1;
    if (opening === '(?=' || opening === '(?!') {
      return { kind: 'lookahead', body, negative: opening === '(?!' };
    }
    return body;
  }

  #class(): string {
    const from = this.#at;
    this.#at += 1;
    while (this.#peek() !== ']') this.#at += this.#peek() === '\\' ? 2 : 1;
    this.#at += 1;
    return this.#source.slice(from, this.#at);
  }

  #escape(): PatternNode {
    const text = this.#take(ESCAPES)?.[0] ?? '\\';
    if (text === '\\b' || text === '\\B') return { kind: 'boundary', negative: text === '\\B' };
    if (/^\\(?:[1-9]|k)/u.test(text)) throw new NotLinear();
    return { kind: 'character', source: text };
  }

  #quantified(body: PatternNode): PatternNode {
    const found = this.#take(QUANTIFIERS);
    if (found === undefined) return body;
    const [text, least, comma, most] = found;
    if (least === undefined) {
      const min = text.startsWith('+') ? 1 : 0;
      return { kind: 'repeat', body, min, max: text.startsWith('?') ? 1 : Infinity };
    }
    const min = Number(least);
    if (comma === undefined) return { kind: 'repeat', body, min, max: min };
    return { kind: 'repeat', body, min, max: most ? Number(most) : Infinity };
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }
}

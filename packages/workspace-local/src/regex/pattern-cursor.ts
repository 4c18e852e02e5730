import { RegexError } from './syntax.ts';

/** Reads a pattern code point by code point, and knows where it is when something is wrong. */
export class PatternCursor {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#characters = Array.from(pattern);
  }

  get position(): number {
    return this.#at;
  }

  get atEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  /** The character `ahead` of the current one; `''` beyond the end. */
  peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? '';
  }

  /** Takes the current character. */
  take(): string {
    const character = this.peek();
    this.#at += 1;
    return character;
  }

  /** Takes `text` if it comes next. */
  accept(text: string): boolean {
    if (!this.looksAt(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Whether `text` (ASCII) comes next. */
  looksAt(text: string): boolean {
    for (let i = 0; i < text.length; i += 1) if (this.peek(i) !== text[i]) return false;
    return true;
  }

  /** Takes characters up to `close`, which is taken too and not returned; undefined when it never comes. */
  takeUntil(close: string): string | undefined {
    const end = this.#characters.indexOf(close, this.#at);
    if (end < 0) return undefined;
    const text = this.#characters.slice(this.#at, end).join('');
    this.#at = end + 1;
    return text;
  }

  /** Goes back (or on) to an earlier position. */
  moveTo(position: number): void {
    this.#at = position;
  }

  /** A syntax error at a place (0-based; shown 1-based). */
  error(message: string, position = this.#at): RegexError {
    return new RegexError(
      'syntax',
      `${message} (at character ${position + 1} of ${JSON.stringify(this.#characters.join(''))})`,
    );
  }
}

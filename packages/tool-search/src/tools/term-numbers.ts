import { foldText } from '../text/fold-text.ts';
import { stem } from '../text/stem.ts';
import { TermTable } from '../text/term-table.ts';
import { TokenScanner } from '../text/token-scanner.ts';

/** Texts that are repeated by many tools (names of parameters, of servers) are split once. */
const maxRepeatedLength = 48;
const maxRepeated = 20_000;

/** Numbers the stemmed terms of texts: the same stem has the same number, whatever the form it was met in. */
export class TermNumbers {
  readonly #scanner = new TokenScanner();
  readonly #words = new TermTable();
  /** For each word of the table: the number of its stem. */
  readonly #stemOf: number[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #repeated = new Map<string, readonly number[]>();

  /** Every stem, by number. */
  get stems(): Iterable<string> {
    return this.#numbers.keys();
  }

  get size(): number {
    return this.#numbers.size;
  }

  /** The number of a stem; undefined for one that no text had. */
  find(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  /** Calls `sink` with the number of each term of a text. */
  each(text: string, sink: (term: number) => void): void {
    const source = foldText(text);
    this.#scanner.load(source);
    this.#scanner.scan(0, source.length, (start, end) => {
      const word = this.#words.intern(this.#scanner.folded, start, end);
      let number = this.#stemOf[word];
      if (number === undefined) {
        number = this.#numberOf(stem(this.#scanner.cut(start, end)));
        this.#stemOf[word] = number;
      }
      sink(number);
    });
  }

  /** The numbers of the terms of a short text that is likely to come again. */
  ofRepeated(text: string): readonly number[] {
    const known = this.#repeated.get(text);
    if (known !== undefined) return known;
    const numbers: number[] = [];
    this.each(text, (term) => numbers.push(term));
    if (text.length <= maxRepeatedLength && this.#repeated.size < maxRepeated) {
      this.#repeated.set(text, numbers);
    }
    return numbers;
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(term, number);
    return number;
  }
}

/** A word of a command, quotes and escapes removed. */
export interface ShellWord {
  readonly text: string;
  /** The same word as a glob: what was quoted or escaped in the source is literal, the rest may be `*`, `?` or `[`. */
  readonly glob: string;
}

/** A command in words. */
export interface ShellWords {
  readonly words: readonly ShellWord[];
  /**
   * Whether the words are all that will run: false with an unquoted `;`, `&`, `|`, `<`, `>`, parenthesis, backtick or
   * `$(`, a line break, or an open quote.
   */
  readonly isSimple: boolean;
}

/** Characters that need an escape to be literal in a glob. */
const GLOB_CHARACTER = /[*?[\]\\]/u;

/**
 * Splits one command into words as a POSIX shell would (quotes, backslashes, blanks). Anything that starts another
 * command or a redirection also separates words, and makes the whole not simple.
 */
export function shellWords(command: string): ShellWords {
  const reader = new Reader(command);
  return reader.read();
}

class Reader {
  readonly #source: string;
  #at = 0;
  #text = '';
  #glob = '';
  #isOpen = false;
  #isSimple = true;
  readonly #words: ShellWord[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  read(): ShellWords {
    for (; this.#at < this.#source.length; this.#at += 1) this.#next(this.#source.charAt(this.#at));
    this.#end();
    return { words: this.#words, isSimple: this.#isSimple };
  }

  #next(character: string): void {
    if (character === "'" || character === '"') this.#quoted(character);
    else if (character === '\\') this.#escaped();
    else if (/[ \t]/u.test(character)) this.#end();
    else if (/[;&|<>()`\n\r]/u.test(character)) this.#separator();
    else if (character === '$' && this.#source.charAt(this.#at + 1) === '(') this.#separator();
    // Bash ends `$'…'` elsewhere than a plain quote, and reads escapes in it: what it means is not told by this reader.
    else if (character === '$' && /['"]/u.test(this.#source.charAt(this.#at + 1))) {
      this.#isSimple = false;
      this.#add(character, character);
    } else this.#add(character, character);
  }

  #quoted(quote: string): void {
    this.#isOpen = true;
    for (this.#at += 1; this.#at < this.#source.length; this.#at += 1) {
      const character = this.#source.charAt(this.#at);
      if (character === quote) return;
      if (
        quote === '"' &&
        /[`$]/u.test(character) &&
        /^(?:`|\$\()/u.test(this.#source.slice(this.#at))
      ) {
        this.#isSimple = false;
      }
      if (
        quote === '"' &&
        character === '\\' &&
        /["\\$`]/u.test(this.#source.charAt(this.#at + 1))
      ) {
        this.#at += 1;
      }
      this.#addLiteral(this.#source.charAt(this.#at));
    }
    this.#isSimple = false;
  }

  #escaped(): void {
    this.#at += 1;
    const character = this.#source.charAt(this.#at);
    if (character === '') this.#isSimple = false;
    // A backslash before a line break joins the lines.
    else if (character !== '\n') this.#addLiteral(character);
  }

  #separator(): void {
    this.#isSimple = false;
    this.#end();
  }

  #addLiteral(character: string): void {
    this.#add(character, GLOB_CHARACTER.test(character) ? `\\${character}` : character);
  }

  #add(text: string, glob: string): void {
    this.#isOpen = true;
    this.#text += text;
    this.#glob += glob;
  }

  #end(): void {
    if (this.#isOpen) this.#words.push({ text: this.#text, glob: this.#glob });
    this.#isOpen = false;
    this.#text = '';
    this.#glob = '';
  }
}

/** A word as a shell would have to be given it: quoted where it holds anything but plain characters. */
export function quoteWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

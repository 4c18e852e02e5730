import { compileProgram } from '../regex/compile-program.ts';
import { deadCell, LazyDfa, matchState, matchCell, unknownCell } from '../regex/lazy-dfa.ts';
import { classifySymbols, classOf, type SymbolClasses } from '../regex/symbol-classes.ts';
import { RegexError } from '../regex/syntax.ts';
import { GlobError } from './glob-error.ts';
import { literalTails, type LiteralTails } from './literal-tails.ts';
import { parseGlob, type GlobOptions } from './parse-glob.ts';

/** Room for hundreds of states; few patterns need more than a dozen. */
const tableCells = 1 << 14;

/**
 * A compiled glob: tells of relative paths whether they match, in time linear in their length whatever the
 * pattern. The dialect, the only one of this package: `*`, `?` and `[…]` stay inside of a name, `**` as a whole
 * segment spans any number of directories, `{a,b}` and `{1..9}` are alternatives, `?(…) *(…) +(…) @(…) !(…)` are
 * groups, `\` takes a character as it is; plain parentheses are characters. A pattern without a slash is for names
 * at any depth, a leading `/` anchors it; a trailing `/` means everything below. A pattern that begins with `!`
 * matches what the rest does not.
 */
export class GlobMatcher {
  readonly #dfa: LazyDfa;
  readonly #classes: SymbolClasses;
  readonly #table: Int32Array;
  readonly #ascii = new Uint16Array(128);
  readonly #negated: boolean;
  readonly #ending: LiteralTails | undefined;

  /** Errors: {@link GlobError}. */
  constructor(pattern: string, options: GlobOptions) {
    // `!(` opens a group; any other first `!` turns the pattern round.
    this.#negated = pattern.startsWith('!') && !pattern.startsWith('!(');
    const body = this.#negated ? pattern.slice(1) : pattern;
    const bodyOptions = this.#negated ? { dot: true } : options;
    const program = compileGlob(body, bodyOptions);
    this.#ending = literalTails(body, bodyOptions);
    this.#classes = classifySymbols(program, { terminator: 0x2f });
    this.#table = new Int32Array(Math.max(tableCells, (this.#classes.count + 1) * 64));
    this.#dfa = new LazyDfa(program, this.#classes, {
      kind: 'longest',
      unanchored: false,
      table: this.#table,
    });
    for (let code = 0; code < 128; code += 1) this.#ascii[code] = classOf(this.#classes, code);
  }

  /** Whether a whole relative path matches: `text`, or what stands in it from one place to another. */
  matches(text: string, from = 0, to = text.length): boolean {
    return this.#isMatch(text, from, to) !== this.#negated;
  }

  /** Whether anything below a directory can match. */
  mayMatchBelow(directory: string): boolean {
    return this.#negated || this.#run(`${directory}/`, 0, directory.length + 1) >= 0;
  }

  #isMatch(text: string, from: number, to: number): boolean {
    const ending = this.#ending;
    if (ending !== undefined) {
      const hasTail = endsWithOne(text, to, ending.tails);
      if (!hasTail || ending.isExact) return hasTail;
    }
    const state = this.#run(text, from, to);
    return state >= 0 && this.#dfa.cell(state, this.#dfa.endSymbol) <= matchCell;
  }

  /** The state after a text, or -1 when nothing can match any more. */
  #run(text: string, from: number, to: number): number {
    const dfa = this.#dfa;
    const table = this.#table;
    let state = dfa.start({ textStart: true, lineStart: true, wordBefore: false });
    for (let i = from; i < to; i += 1) {
      const unit = text.charCodeAt(i);
      let symbol: number;
      if (unit < 128) symbol = this.#ascii[unit] ?? 0;
      else {
        const codePoint = text.codePointAt(i) ?? 0;
        if (codePoint > 0xffff) i += 1;
        symbol = classOf(this.#classes, codePoint);
      }
      let cell = table[state + symbol] ?? unknownCell;
      if (cell === unknownCell) cell = dfa.compute(state, symbol);
      if (cell < 0) {
        if (cell === deadCell) return -1;
        cell = matchState(cell);
        if (cell < 0) return -1;
      }
      state = cell;
    }
    return state;
  }
}

/** What stands before `to` may be longer than a path: no tail holds what separates paths. */
function endsWithOne(text: string, to: number, tails: readonly string[]): boolean {
  const last = text.charCodeAt(to - 1);
  for (let i = 0; i < tails.length; i += 1) {
    const tail = tails[i] ?? '';
    // Most paths differ in the last character already.
    if (last === tail.charCodeAt(tail.length - 1) && text.endsWith(tail, to)) return true;
  }
  return false;
}

function compileGlob(pattern: string, options: GlobOptions): ReturnType<typeof compileProgram> {
  try {
    return compileProgram(parseGlob(pattern, options));
  } catch (error) {
    if (error instanceof RegexError) throw new GlobError(error.message, { cause: error });
    throw error;
  }
}

/** Whether a pattern names a dot at the beginning of a name, so that hidden entries must be looked at. */
export function namesHidden(pattern: string): boolean {
  return /(?:^|[/{,(|!])\\?\.(?!\/)/.test(pattern);
}

/** A pattern in which no character means anything but itself. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{}()!+@|,]/g, '\\$&');
}

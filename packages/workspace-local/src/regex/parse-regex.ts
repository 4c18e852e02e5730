import { foldCase } from './case-folding.ts';
import { complementOf, setOf, type CodePointSet } from './code-point-set.ts';
import { parseClass, skipVerbose } from './parse-class.ts';
import { parseEscape } from './parse-escape.ts';
import { PatternCursor } from './pattern-cursor.ts';
import { alternateOf, concatOf, emptyNode, RegexError, type RegexNode } from './syntax.ts';

/** A parsed pattern and what its text says about line endings. */
export interface ParsedRegex {
  readonly node: RegexNode;
  /** A line feed is written out, so that only a search across lines can match. */
  readonly namesLineFeed: boolean;
  /** A carriage return is written out: it is then an ordinary character, not a part of a line ending. */
  readonly namesCarriageReturn: boolean;
}

/** How a pattern begins. */
export interface ParseOptions {
  readonly ignoreCase?: boolean;
}

interface Flags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
  readonly swapGreed: boolean;
  readonly verbose: boolean;
  /** `^` and `$` stand at line edges; always so unless switched off. */
  readonly multiLine: boolean;
}

const maxNesting = 200;
/** The highest count in `{n,m}`, RE2's. */
export const maxRepeat = 1000;

/**
 * Parses RE2's syntax as ripgrep has it: Perl classes by Unicode, `\p{…}`, POSIX and nested classes,
 * lazy quantifiers, `(?i)`, `(?s)`, `(?m)`, `(?x)`, `(?U)`, named groups. Look-around and back-references are
 * refused by name. Errors: {@link RegexError}.
 */
export function parseRegex(pattern: string, options: ParseOptions = {}): ParsedRegex {
  return new RegexParser(pattern, options.ignoreCase ?? false).parse();
}

/** The pattern that matches a text as it stands. */
export function literalRegex(text: string, options: ParseOptions = {}): ParsedRegex {
  const items = Array.from(text, (character): RegexNode => {
    const set = setOf(character.codePointAt(0) ?? 0);
    return { kind: 'set', set: options.ignoreCase === true ? foldCase(set) : set };
  });
  return {
    node: concatOf(items),
    namesLineFeed: text.includes('\n'),
    namesCarriageReturn: text.includes('\r'),
  };
}

class RegexParser {
  readonly #cursor: PatternCursor;
  #flags: Flags;
  #depth = 0;
  #lineFeed = false;
  #carriageReturn = false;
  readonly #groupNames = new Set<string>();

  constructor(pattern: string, ignoreCase: boolean) {
    this.#cursor = new PatternCursor(pattern);
    this.#flags = {
      ignoreCase,
      dotAll: false,
      swapGreed: false,
      verbose: false,
      multiLine: true,
    };
  }

  parse(): ParsedRegex {
    const node = this.#alternation();
    if (!this.#cursor.atEnd) throw this.#cursor.error('unopened group: a ")" without its "("');
    return { node, namesLineFeed: this.#lineFeed, namesCarriageReturn: this.#carriageReturn };
  }

  #alternation(): RegexNode {
    const branches = [this.#concatenation()];
    while (this.#cursor.accept('|')) branches.push(this.#concatenation());
    return alternateOf(branches);
  }

  #concatenation(): RegexNode {
    const items: RegexNode[] = [];
    for (;;) {
      if (this.#flags.verbose) skipVerbose(this.#cursor);
      if (this.#cursor.atEnd || ['|', ')'].includes(this.#cursor.peek())) return concatOf(items);
      const atom = this.#atom();
      if (atom !== undefined) items.push(this.#repetitions(atom));
    }
  }

  /** Undefined for what matches nothing by itself and cannot be repeated: `(?i)`. */
  #atom(): RegexNode | undefined {
    const cursor = this.#cursor;
    const start = cursor.position;
    const character = cursor.take();
    switch (character) {
      case '(':
        return this.#group(start);
      case '[':
        return this.#set(
          parseClass(cursor, {
            ignoreCase: this.#flags.ignoreCase,
            verbose: this.#flags.verbose,
            onMember: (codePoint) => this.#note(codePoint),
            depth: 0,
          }),
        );
      case '.':
        return this.#set(this.#flags.dotAll ? complementOf([]) : complementOf(setOf(0x0a)));
      case '^':
        return {
          kind: 'assert',
          assertion: this.#flags.multiLine ? 'line_start' : 'text_start',
        };
      case '$':
        return { kind: 'assert', assertion: this.#flags.multiLine ? 'line_end' : 'text_end' };
      case '*':
      case '+':
      case '?':
      case '{':
        throw cursor.error(
          `"${character}" repeats nothing; write "\\${character}" for the character itself`,
          start,
        );
      case '\\': {
        const escape = parseEscape(cursor);
        if (escape.kind === 'assertion') return { kind: 'assert', assertion: escape.assertion };
        if (escape.kind === 'character') return this.#character(escape.codePoint);
        return this.#set(this.#fold(escape.set));
      }
      default:
        return this.#character(character.codePointAt(0) ?? 0);
    }
  }

  #character(codePoint: number): RegexNode {
    this.#note(codePoint);
    return this.#set(this.#fold(setOf(codePoint)));
  }

  #note(codePoint: number): void {
    if (codePoint === 0x0a) this.#lineFeed = true;
    if (codePoint === 0x0d) this.#carriageReturn = true;
  }

  #fold(set: CodePointSet): CodePointSet {
    return this.#flags.ignoreCase ? foldCase(set) : set;
  }

  #set(set: CodePointSet): RegexNode {
    return { kind: 'set', set };
  }

  #repetitions(atom: RegexNode): RegexNode {
    let node = atom;
    for (;;) {
      if (this.#flags.verbose) skipVerbose(this.#cursor);
      const range = this.#quantifier();
      if (range === undefined) return node;
      const lazy = this.#cursor.accept('?');
      node = { kind: 'repeat', item: node, ...range, greedy: lazy === this.#flags.swapGreed };
    }
  }

  #quantifier(): { min: number; max: number } | undefined {
    const cursor = this.#cursor;
    if (cursor.accept('*')) return { min: 0, max: Infinity };
    if (cursor.accept('+')) return { min: 1, max: Infinity };
    if (cursor.accept('?')) return { min: 0, max: 1 };
    if (cursor.peek() !== '{') return undefined;
    const start = cursor.position;
    cursor.take();
    const body = cursor.takeUntil('}');
    if (body === undefined) {
      throw cursor.error('unclosed repetition: "{" without "}"; write "\\{" for a brace', start);
    }
    const counts = /^\s*(\d+)\s*(,\s*(\d*)\s*)?$/.exec(body);
    if (counts === null) {
      throw cursor.error('a repetition is {n}, {n,} or {n,m}; write "\\{" for a brace', start);
    }
    const min = Number(counts[1]);
    const max = counts[2] === undefined ? min : counts[3] === '' ? Infinity : Number(counts[3]);
    if (max < min) throw cursor.error('a repetition {n,m} needs n ≤ m', start);
    if (min > maxRepeat || (max > maxRepeat && max !== Infinity)) {
      throw new RegexError('too_large', `a repetition counts to ${maxRepeat} at most: {${body}}`);
    }
    return { min, max };
  }

  #group(start: number): RegexNode | undefined {
    const cursor = this.#cursor;
    this.#depth += 1;
    if (this.#depth > maxNesting) {
      throw new RegexError('too_large', `groups are nested more than ${maxNesting} deep`);
    }
    const outer = this.#flags;
    try {
      if (cursor.accept('?')) {
        const opened = this.#groupHead(start);
        if (!opened) return undefined;
      }
      const node = this.#alternation();
      if (!cursor.accept(')')) throw cursor.error('unclosed group: a "(" without its ")"', start);
      this.#flags = outer;
      return node.kind === 'empty' ? emptyNode : node;
    } finally {
      this.#depth -= 1;
    }
  }

  /** Reads what follows `(?`; false when it was a flag group that ends at once and holds for what follows. */
  #groupHead(start: number): boolean {
    const cursor = this.#cursor;
    for (const [head, name] of lookArounds) {
      if (cursor.looksAt(head)) {
        throw new RegexError(
          'look_around',
          `${name} (?${head}…) is not supported: matching takes linear time, which rules it out. Search for the part that must be there and leave out unwanted lines afterwards`,
        );
      }
    }
    if (cursor.looksAt('P=')) {
      throw new RegexError('back_reference', 'back-references such as (?P=name) are not supported');
    }
    if (cursor.looksAt('>')) {
      throw new RegexError('unsupported_syntax', 'atomic groups (?>…) are not supported');
    }
    if (cursor.accept('P<') || cursor.accept('<')) {
      const name = cursor.takeUntil('>');
      if (name === undefined || !/^[\p{L}_][\p{L}\p{N}_.[\]]*$/u.test(name)) {
        throw cursor.error('a group name is letters, digits and "_"', start);
      }
      if (this.#groupNames.has(name)) {
        throw cursor.error(`two groups are named ${JSON.stringify(name)}`, start);
      }
      this.#groupNames.add(name);
      return true;
    }
    return this.#flagGroup(start);
  }

  #flagGroup(start: number): boolean {
    const cursor = this.#cursor;
    let on = true;
    let flags = this.#flags;
    for (;;) {
      const letter = cursor.take();
      if (letter === '-' && [')', ':'].includes(cursor.peek())) {
        throw cursor.error('a "-" among flags needs one to switch off', start);
      }
      if (letter === ')' || letter === ':') {
        this.#flags = flags;
        return letter === ':';
      }
      if (letter === '-' && on) on = false;
      else if (letter === 'i') flags = { ...flags, ignoreCase: on };
      else if (letter === 's') flags = { ...flags, dotAll: on };
      else if (letter === 'm') flags = { ...flags, multiLine: on };
      else if (letter === 'x') flags = { ...flags, verbose: on };
      else if (letter === 'U') flags = { ...flags, swapGreed: on };
      else if (letter === 'u' && on) continue;
      else if (letter === 'u') {
        throw new RegexError(
          'unsupported_syntax',
          'Unicode cannot be switched off with (?-u): write ASCII classes such as [0-9A-Za-z_] instead',
        );
      } else throw cursor.error(`unknown group flag ${JSON.stringify(letter)}`, start);
    }
  }
}

const lookArounds: readonly (readonly [string, string])[] = [
  ['=', 'look-ahead'],
  ['!', 'negative look-ahead'],
  ['<=', 'look-behind'],
  ['<!', 'negative look-behind'],
];

import { complementOf, differenceOf, setOf } from '../regex/code-point-set.ts';
import { compileProgram, type Program } from '../regex/compile-program.ts';
import { literalRegex, parseRegex } from '../regex/parse-regex.ts';
import { requiredBytes, type RequiredBytes } from '../regex/required-bytes.ts';
import { classifySymbols, type SymbolClasses } from '../regex/symbol-classes.ts';
import { RegexError, type RegexNode } from '../regex/syntax.ts';

/** A program and the classes of its characters. */
export interface CompiledProgram {
  readonly program: Program;
  readonly classes: SymbolClasses;
}

/** Everything a scanner needs to know of a query, as plain data that a worker can be sent. */
export interface SearchPlan {
  readonly forward: CompiledProgram;
  /** Finds where a match begins; only where matches may span lines. */
  readonly reverse: CompiledProgram | undefined;
  readonly multiline: boolean;
  /** CR LF counts as one line feed, unless the pattern itself names a carriage return. */
  readonly joinsReturns: boolean;
  readonly required: RequiredBytes | undefined;
}

/** What to look for. */
export interface PatternOptions {
  readonly pattern: string;
  readonly literal: boolean;
  readonly caseSensitive: boolean;
  readonly multiline: boolean;
}

/**
 * Compiles a query. Errors: `RegexError` for a pattern that is not in the dialect, and for a line feed in a
 * search by lines, which could never match.
 */
export function createSearchPlan(options: PatternOptions): SearchPlan {
  const { multiline } = options;
  const parse = options.literal ? literalRegex : parseRegex;
  const parsed = parse(options.pattern, { ignoreCase: !options.caseSensitive });
  if (!multiline && parsed.namesLineFeed) {
    throw new RegexError(
      'line_break',
      'the pattern holds a line break, and this search goes line by line; set multiline to true',
    );
  }
  const node = multiline ? parsed.node : withinLines(parsed.node);
  const compile = (reverse: boolean): CompiledProgram => {
    const program = compileProgram(node, { reverse });
    return { program, classes: classifySymbols(program, { terminator: 0x0a }) };
  };
  return {
    forward: compile(false),
    reverse: multiline ? compile(true) : undefined,
    multiline,
    joinsReturns: !parsed.namesCarriageReturn,
    required: requiredBytes(node),
  };
}

const anyButLineFeed = complementOf(setOf(0x0a));

/** Takes line feeds out of all sets, and makes each line a text of its own for `\A` and `\z`. */
function withinLines(node: RegexNode): RegexNode {
  switch (node.kind) {
    case 'empty':
      return node;
    case 'set':
      return { kind: 'set', set: differenceOf(node.set, complementOf(anyButLineFeed)) };
    case 'assert':
      if (node.assertion === 'text_start') return { kind: 'assert', assertion: 'line_start' };
      if (node.assertion === 'text_end') return { kind: 'assert', assertion: 'line_end' };
      return node;
    case 'concat':
    case 'alternate':
      return { ...node, items: node.items.map(withinLines) };
    case 'repeat':
      return { ...node, item: withinLines(node.item) };
    case 'automaton':
      return node;
  }
}

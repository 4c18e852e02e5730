import type { CodePointSet } from './code-point-set.ts';

/**
 * What must hold between two characters. `not_segment_start` serves globs alone: it holds everywhere but
 * at the beginning of a line (there: of a path segment).
 */
export type Assertion =
  | 'line_start'
  | 'line_end'
  | 'text_start'
  | 'text_end'
  | 'word_boundary'
  | 'not_word_boundary'
  | 'word_start'
  | 'word_end'
  | 'word_start_half'
  | 'word_end_half'
  | 'not_line_start';

/** A parsed regular expression. Groups capture nothing: a search needs only where a match is. */
export type RegexNode =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CodePointSet }
  | { readonly kind: 'concat'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'alternate'; readonly items: readonly RegexNode[] }
  | {
      readonly kind: 'repeat';
      readonly item: RegexNode;
      readonly min: number;
      /** `Infinity` for no bound. */
      readonly max: number;
      readonly greedy: boolean;
    }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'automaton'; readonly states: readonly AutomatonState[] };

/** A state of an automaton that stands in a pattern as it is (the `!(…)` of globs); the first one begins. */
export interface AutomatonState {
  readonly accepts: boolean;
  /** Each reads one character and goes to a state. */
  readonly edges: readonly { readonly reads: RegexNode; readonly target: number }[];
}

export const emptyNode: RegexNode = { kind: 'empty' };

/** A concatenation without needless nesting. */
export function concatOf(items: readonly RegexNode[]): RegexNode {
  const flat = items.flatMap((item) => (item.kind === 'concat' ? item.items : [item]));
  const kept = flat.filter((item) => item.kind !== 'empty');
  const [first] = kept;
  if (first === undefined) return emptyNode;
  return kept.length === 1 ? first : { kind: 'concat', items: kept };
}

/** An alternation; a single branch is itself. */
export function alternateOf(items: readonly RegexNode[]): RegexNode {
  const [first] = items;
  if (first === undefined) return emptyNode;
  return items.length === 1 ? first : { kind: 'alternate', items };
}

/** Why a pattern was refused. */
export type RegexRefusal =
  | 'syntax'
  | 'look_around'
  | 'back_reference'
  | 'unsupported_syntax'
  | 'line_break'
  | 'too_large';

/** A pattern that this dialect does not have. The message says where and what to write instead. */
export class RegexError extends Error {
  override readonly name = 'RegexError';
  readonly refusal: RegexRefusal;

  constructor(refusal: RegexRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

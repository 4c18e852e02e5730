import type { CodePointSet } from './code-point-set.ts';
import { RegexError, type Assertion, type AutomatonState, type RegexNode } from './syntax.ts';

/** The steps of a program; `SET` consumes one character, the others none. */
export const opcode = { match: 0, set: 1, split: 2, assert: 3 } as const;

/**
 * A nondeterministic automaton as plain arrays, so that it can be sent to a worker. Step `i` has `ops[i]`; a set
 * step reads `sets[xs[i]]` and goes to `ys[i]`; a split prefers `xs[i]` to `ys[i]`; an assertion step checks
 * `assertions[xs[i]]` and goes to `ys[i]`.
 */
export interface Program {
  readonly ops: Uint8Array;
  readonly xs: Int32Array;
  readonly ys: Int32Array;
  readonly start: number;
  readonly sets: readonly CodePointSet[];
}

/** Every assertion, in the order in which programs number them. */
export const assertions: readonly Assertion[] = [
  'line_start',
  'line_end',
  'text_start',
  'text_end',
  'word_boundary',
  'not_word_boundary',
  'word_start',
  'word_end',
  'word_start_half',
  'word_end_half',
  'not_line_start',
];

/** Steps that one pattern may take. */
export const maxProgramSteps = 50_000;

/** How a program is to run. */
export interface CompileOptions {
  /** Match right to left: to find where a match begins whose end is known. Default false. */
  readonly reverse?: boolean;
}

/** Compiles a pattern. Errors: {@link RegexError} with `too_large`. */
export function compileProgram(node: RegexNode, options: CompileOptions = {}): Program {
  return new Compiler(options.reverse ?? false).compile(node);
}

/** What an assertion means when text is read right to left. */
const mirrored: Readonly<Record<Assertion, Assertion>> = {
  line_start: 'line_end',
  line_end: 'line_start',
  text_start: 'text_end',
  text_end: 'text_start',
  word_boundary: 'word_boundary',
  not_word_boundary: 'not_word_boundary',
  word_start: 'word_end',
  word_end: 'word_start',
  word_start_half: 'word_end_half',
  word_end_half: 'word_start_half',
  not_line_start: 'not_line_start',
};

class Compiler {
  readonly #reverse: boolean;
  readonly #ops: number[] = [];
  readonly #xs: number[] = [];
  readonly #ys: number[] = [];
  readonly #sets: CodePointSet[] = [];
  readonly #setIndex = new Map<string, number>();

  constructor(reverse: boolean) {
    this.#reverse = reverse;
  }

  compile(node: RegexNode): Program {
    const start = this.#node(node, this.#step(opcode.match, 0, 0));
    return {
      ops: Uint8Array.from(this.#ops),
      xs: Int32Array.from(this.#xs),
      ys: Int32Array.from(this.#ys),
      start,
      sets: this.#sets,
    };
  }

  /** Adds the steps of a node that go on at `next`; returns where they begin. */
  #node(node: RegexNode, next: number): number {
    switch (node.kind) {
      case 'empty':
        return next;
      case 'set':
        return this.#step(opcode.set, this.#set(node.set), next);
      case 'assert': {
        const assertion = this.#reverse ? mirrored[node.assertion] : node.assertion;
        return this.#step(opcode.assert, assertions.indexOf(assertion), next);
      }
      case 'concat': {
        const ordered = this.#reverse ? node.items : node.items.toReversed();
        return ordered.reduce((after, item) => this.#node(item, after), next);
      }
      case 'alternate': {
        const [last, ...others] = node.items.toReversed().map((item) => this.#node(item, next));
        return others.reduce(
          (rest, branch) => this.#step(opcode.split, branch, rest),
          last ?? next,
        );
      }
      case 'repeat':
        return this.#repeat(node, next);
      case 'automaton':
        return this.#automaton(node.states, next);
    }
  }

  /** Left to right only: an automaton cannot be mirrored. */
  #automaton(states: readonly AutomatonState[], next: number): number {
    if (this.#reverse) throw new TypeError('An automaton runs left to right.');
    const entries = states.map(() => this.#step(opcode.split, 0, 0));
    const nowhere = this.#step(opcode.set, this.#set([]), next);
    for (const [index, { accepts, edges }] of states.entries()) {
      const branches = edges.map(({ reads, target }) => this.#node(reads, entries[target] ?? next));
      if (accepts) branches.push(next);
      const [first = nowhere, ...others] = branches;
      const entry = entries[index] ?? 0;
      this.#xs[entry] = first;
      this.#ys[entry] = others.reduce(
        (rest, branch) => this.#step(opcode.split, branch, rest),
        nowhere,
      );
    }
    return entries[0] ?? next;
  }

  #repeat(node: RegexNode & { readonly kind: 'repeat' }, next: number): number {
    const { item, min, max, greedy } = node;
    let entry = next;
    if (max === Infinity) {
      // One that can be empty loops as (x+)? does: an empty round must not hide what comes after the loop.
      const atLeastOnce = min > 0 || isNullable(item);
      entry = this.#loop(item, { next, greedy, atLeastOnce });
      if (atLeastOnce && min === 0) entry = this.#choice(entry, next, greedy);
    } else {
      for (let i = min; i < max; i += 1) {
        entry = this.#choice(this.#node(item, entry), next, greedy);
      }
    }
    const copies = max === Infinity ? Math.max(min - 1, 0) : min;
    for (let i = 0; i < copies; i += 1) entry = this.#node(item, entry);
    return entry;
  }

  #loop(
    item: RegexNode,
    loop: { readonly next: number; readonly greedy: boolean; readonly atLeastOnce: boolean },
  ): number {
    const head = this.#step(opcode.split, 0, 0);
    const body = this.#node(item, head);
    this.#xs[head] = loop.greedy ? body : loop.next;
    this.#ys[head] = loop.greedy ? loop.next : body;
    return loop.atLeastOnce ? body : head;
  }

  #choice(body: number, skip: number, greedy: boolean): number {
    return greedy ? this.#step(opcode.split, body, skip) : this.#step(opcode.split, skip, body);
  }

  #set(set: CodePointSet): number {
    const key = set.join();
    const known = this.#setIndex.get(key);
    if (known !== undefined) return known;
    const index = this.#sets.push(set) - 1;
    this.#setIndex.set(key, index);
    return index;
  }

  #step(op: number, x: number, y: number): number {
    if (this.#ops.length >= maxProgramSteps) {
      throw new RegexError(
        'too_large',
        'the pattern is too large once its repetitions are written out; use smaller counts',
      );
    }
    this.#xs.push(x);
    this.#ys.push(y);
    return this.#ops.push(op) - 1;
  }
}

/** Whether a node can match nothing at all. */
export function isNullable(node: RegexNode): boolean {
  switch (node.kind) {
    case 'empty':
    case 'assert':
      return true;
    case 'set':
      return false;
    case 'concat':
      return node.items.every(isNullable);
    case 'alternate':
      return node.items.some(isNullable);
    case 'repeat':
      return node.min === 0 || isNullable(node.item);
    case 'automaton':
      return node.states[0]?.accepts ?? true;
  }
}

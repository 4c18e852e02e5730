import { ComplexityError } from '../complexity-error.ts';
import type { PatternNode } from './parse-pattern.ts';

/** Instructions of one program; `{n,m}` is written out, so this also bounds the counts. */
const MAX_INSTRUCTIONS = 4_000;
/** Instruction visits in one test: about half a second. */
const MAX_STEPS = 20_000_000;

type Instruction =
  | { readonly op: 'character'; readonly matches: (codePoint: number) => boolean }
  | { readonly op: 'fork'; readonly targets: readonly number[] }
  | { readonly op: 'start' }
  | { readonly op: 'end' }
  | { readonly op: 'boundary'; readonly negative: boolean }
  | {
      readonly op: 'lookahead';
      readonly body: readonly Instruction[];
      readonly negative: boolean;
    }
  | { readonly op: 'match' };

/**
 * Builds a matcher that keeps the set of all states at once, so that time grows with the text and never with the
 * number of ways to match it (Thompson 1968). Lookahead restarts at its own place, which makes it quadratic at worst;
 * the step bound covers that: {@link ComplexityError}.
 *
 * @returns `undefined` if the counts of the expression make the program too long.
 */
export function buildLinearPattern(root: PatternNode): ((text: string) => boolean) | undefined {
  const program = compile(root);
  if (program === undefined) return undefined;
  return (text) => new Simulation(text).run(program, 0, false);
}

function compile(root: PatternNode): readonly Instruction[] | undefined {
  const code: Instruction[] = [];
  if (!emit(root, code)) return undefined;
  code.push({ op: 'match' });
  return code;
}

/** Appends the code of a node; false once the program is too long. */
function emit(node: PatternNode, code: Instruction[]): boolean {
  if (code.length > MAX_INSTRUCTIONS) return false;
  switch (node.kind) {
    case 'character':
      code.push({ op: 'character', matches: characterMatcher(node.source) });
      return true;
    case 'sequence':
      return node.parts.every((part) => emit(part, code));
    case 'choice':
      return emitChoice(node.options, code);
    case 'repeat':
      return emitRepeat(node, code);
    case 'start':
    case 'end':
      code.push({ op: node.kind });
      return true;
    case 'boundary':
      code.push({ op: 'boundary', negative: node.negative });
      return true;
    case 'lookahead':
      break;
  }
  const body = compile(node.body);
  if (body === undefined) return false;
  code.push({ op: 'lookahead', body, negative: node.negative });
  return true;
}

function emitChoice(options: readonly PatternNode[], code: Instruction[]): boolean {
  const fork: number[] = [];
  const ends: number[][] = [];
  code.push({ op: 'fork', targets: fork });
  for (const option of options) {
    fork.push(code.length);
    if (!emit(option, code)) return false;
    const end: number[] = [];
    ends.push(end);
    code.push({ op: 'fork', targets: end });
  }
  for (const end of ends) end.push(code.length);
  return true;
}

function emitRepeat(node: Extract<PatternNode, { kind: 'repeat' }>, code: Instruction[]): boolean {
  const { body, min, max } = node;
  for (let count = 0; count < min; count += 1) if (!emit(body, code)) return false;
  if (max === Infinity) {
    const loop: number[] = [code.length + 1];
    const back = code.length;
    code.push({ op: 'fork', targets: loop });
    if (!emit(body, code)) return false;
    code.push({ op: 'fork', targets: [back] });
    loop.push(code.length);
    return true;
  }
  const exits: number[][] = [];
  for (let count = min; count < max; count += 1) {
    const exit: number[] = [code.length + 1];
    exits.push(exit);
    code.push({ op: 'fork', targets: exit });
    if (!emit(body, code)) return false;
  }
  for (const exit of exits) exit.push(code.length);
  return true;
}

/** One state set over one text. */
class Simulation {
  readonly #text: string;
  #steps = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(program: readonly Instruction[], from: number, anchored: boolean): boolean {
    const marks = new Uint32Array(program.length);
    let generation = 0;
    let states: number[] = [];
    for (let at = from; ;) {
      generation += 1;
      const active: number[] = [];
      const pending = anchored && at > from ? states : [...states, 0];
      if (this.#close(program, { pending, active, marks, generation, at })) return true;
      if (at >= this.#text.length || (active.length === 0 && anchored)) return false;
      const codePoint = this.#text.codePointAt(at) ?? 0;
      states = [];
      for (const state of active) {
        const instruction = program[state];
        if (instruction?.op === 'character' && instruction.matches(codePoint)) {
          states.push(state + 1);
        }
      }
      at += codePoint > 0xffff ? 2 : 1;
    }
  }

  /** Follows everything that consumes no character; true when the end of the program is reached. */
  #close(
    program: readonly Instruction[],
    set: {
      readonly pending: number[];
      readonly active: number[];
      readonly marks: Uint32Array;
      readonly generation: number;
      readonly at: number;
    },
  ): boolean {
    const { pending, active, marks, generation, at } = set;
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      if (marks[state] === generation) continue;
      marks[state] = generation;
      this.#steps += 1;
      if (this.#steps > MAX_STEPS) throw new ComplexityError();
      const instruction = program[state];
      if (instruction === undefined || instruction.op === 'match') return true;
      if (instruction.op === 'character') active.push(state);
      else if (instruction.op === 'fork') pending.push(...instruction.targets);
      else if (this.#holds(instruction, at)) pending.push(state + 1);
    }
    return false;
  }

  #holds(
    instruction: Exclude<Instruction, { op: 'character' | 'fork' | 'match' }>,
    at: number,
  ): boolean {
    switch (instruction.op) {
      case 'start':
        return at === 0;
      case 'end':
        return at === this.#text.length;
      case 'boundary': {
        const before = isWord(this.#text.charCodeAt(at - 1));
        return (before === isWord(this.#text.charCodeAt(at))) === instruction.negative;
      }
      case 'lookahead':
        break;
    }
    return this.run(instruction.body, at, true) !== instruction.negative;
  }
}

function isWord(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    unit === 0x5f
  );
}

/** Other characters whose class is remembered, so that tables of the platform are asked once each. */
const MAX_REMEMBERED = 4_096;

/** Lets the platform decide single characters: its classes and Unicode tables are the reference. */
function characterMatcher(source: string): (codePoint: number) => boolean {
  if (source.length === 1 && !/[.^$|()[\]{}*+?\\]/u.test(source)) {
    const literal = source.charCodeAt(0);
    return (codePoint) => codePoint === literal;
  }
  const expression = new RegExp(`^${source}$`, 'u');
  const known = new Map<number, boolean>();
  return (codePoint) => {
    const remembered = known.get(codePoint);
    if (remembered !== undefined) return remembered;
    const matches = expression.test(String.fromCodePoint(codePoint));
    if (known.size < MAX_REMEMBERED) known.set(codePoint, matches);
    return matches;
  };
}

import {
  complementOf,
  differenceOf,
  includesCodePoint,
  setOf,
  type CodePointSet,
} from '../regex/code-point-set.ts';
import { PatternCursor } from '../regex/pattern-cursor.ts';
import { alternateOf, concatOf, type RegexNode } from '../regex/syntax.ts';
import { complementNode } from './complement.ts';
import { expandBraces } from './expand-braces.ts';
import { GlobError } from './glob-error.ts';
import { parseGlobClass } from './parse-glob-class.ts';

/** How globs treat names that begin with a dot. */
export interface GlobOptions {
  /** Let `*`, `?`, classes and `**` match a dot at the beginning of a name. */
  readonly dot: boolean;
}

const slash = 0x2f;
const dot = 0x2e;
const notSlash = complementOf(setOf(slash));
const maxDepth = 20;

/**
 * Parses a glob into a pattern for whole relative paths, in which `/` plays the part of a line end. Errors:
 * {@link GlobError} for a blank pattern, and for one that holds `..` or a NUL.
 */
export function parseGlob(pattern: string, options: GlobOptions): RegexNode {
  if (pattern.trim() === '') throw new GlobError('the pattern is empty');
  if (pattern.includes('\0')) throw new GlobError('the pattern holds a NUL');
  return alternateOf(expandBraces(pattern).map((branch) => parseBranch(branch, options)));
}

function parseBranch(branch: string, options: GlobOptions): RegexNode {
  const body = branch.replace(/^(?:\.\/)+/, '').replace(/^\/+/, '');
  const isAnchored = body !== branch;
  const segments = splitSegments(body.endsWith('/') ? `${body}**` : body).filter(
    (segment) => segment !== '' && segment !== '.',
  );
  if (segments.includes('..')) {
    throw new GlobError('a pattern cannot leave its directory with ".."; search from another path');
  }
  // As in .gitignore: a pattern of one name finds that name at any depth.
  if (segments.length === 1 && !isAnchored && segments[0] !== '**') segments.unshift('**');
  return new SegmentParser(options).join(segments);
}

/** Cuts at slashes that are neither escaped nor inside of a group. */
function splitSegments(text: string): string[] {
  const segments: string[] = [];
  let current = '';
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i] ?? '';
    if (character === '\\') {
      current += character + (text[i + 1] ?? '');
      i += 1;
      continue;
    }
    if (character === '/' && depth === 0) {
      segments.push(current);
      current = '';
      continue;
    }
    if (character === '(' && /[?*+@!]$/.test(current)) depth += 1;
    else if (character === ')' && depth > 0) depth -= 1;
    current += character;
  }
  // A group that never closes is none: its slashes cut as ever.
  return depth > 0 ? text.split('/') : [...segments, current];
}

/** Where in a segment the parser is: how deep in groups, and whether nothing of the segment came before. */
interface Place {
  readonly depth: number;
  readonly begins: boolean;
}

class SegmentParser {
  readonly #options: GlobOptions;
  /** One character of a name. */
  readonly #any: RegexNode;

  constructor(options: GlobOptions) {
    this.#options = options;
    this.#any = this.#reads(notSlash);
  }

  join(segments: readonly string[]): RegexNode {
    const name: RegexNode = {
      kind: 'repeat',
      item: this.#any,
      min: 1,
      max: Infinity,
      greedy: true,
    };
    const separator: RegexNode = { kind: 'set', set: setOf(slash) };
    const items: RegexNode[] = [];
    for (const [index, segment] of segments.entries()) {
      const isLast = index === segments.length - 1;
      if (segment === '**') {
        if (isLast) items.push(name, many(concatOf([separator, name])));
        else items.push(many(concatOf([name, separator])));
      } else {
        items.push(this.#sequence(new PatternCursor(segment), { depth: 0, begins: true }));
        if (!isLast) items.push(separator);
      }
    }
    return concatOf(items);
  }

  /** Reads up to the end, or to the `|` or `)` of the group that it is in. */
  #sequence(cursor: PatternCursor, place: Place): RegexNode {
    const items: RegexNode[] = [];
    while (!cursor.atEnd && !(place.depth > 0 && ['|', ')'].includes(cursor.peek()))) {
      const here = { ...place, begins: place.begins && items.length === 0 };
      items.push(this.#group(cursor, here) ?? this.#single(cursor, here));
    }
    return concatOf(items);
  }

  /** `?(…)`, `*(…)`, `+(…)`, `@(…)`, `!(…)`; undefined when none comes next. */
  #group(cursor: PatternCursor, place: Place): RegexNode | undefined {
    const operator = cursor.peek();
    if (!/^[?*+@!]$/.test(operator) || cursor.peek(1) !== '(') return undefined;
    if (place.depth > maxDepth) throw new GlobError('groups are nested too deeply');
    const start = cursor.position;
    cursor.moveTo(start + 2);
    const inner = { ...place, depth: place.depth + 1 };
    const branches = [this.#sequence(cursor, inner)];
    while (cursor.accept('|')) branches.push(this.#sequence(cursor, inner));
    if (!cursor.accept(')')) {
      cursor.moveTo(start);
      return undefined;
    }
    const body = alternateOf(branches);
    switch (operator) {
      case '?':
        return { kind: 'repeat', item: body, min: 0, max: 1, greedy: true };
      case '*':
        return many(body);
      case '+':
        return { kind: 'repeat', item: body, min: 1, max: Infinity, greedy: true };
      case '!':
        return complementNode(body, notSlash, (set) => this.#reads(set));
      default:
        return body;
    }
  }

  #single(cursor: PatternCursor, place: Place): RegexNode {
    const first = cursor.take();
    if (first === '*') {
      while (cursor.peek() === '*' && cursor.peek(1) !== '(') cursor.take();
      return many(this.#any);
    }
    if (first === '?') return this.#any;
    const set = first === '[' ? parseGlobClass(cursor) : undefined;
    if (set !== undefined) return this.#reads(differenceOf(set, setOf(slash)));
    const literal = first === '\\' && !cursor.atEnd ? cursor.take() : first;
    const character = setOf(literal.codePointAt(0) ?? 0);
    return place.begins ? { kind: 'set', set: character } : this.#reads(character);
  }

  /** One character of a set, but no dot where a name begins, unless dots are like others. */
  #reads(set: CodePointSet): RegexNode {
    if (this.#options.dot || !includesCodePoint(set, dot)) return { kind: 'set', set };
    return alternateOf([
      { kind: 'set', set: differenceOf(set, setOf(dot)) },
      concatOf([
        { kind: 'assert', assertion: 'not_line_start' },
        { kind: 'set', set: setOf(dot) },
      ]),
    ]);
  }
}

function many(item: RegexNode): RegexNode {
  return { kind: 'repeat', item, min: 0, max: Infinity, greedy: true };
}

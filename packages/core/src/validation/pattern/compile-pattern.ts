import { buildLinearPattern } from './linear-pattern.ts';
import type { PatternNode } from './parse-pattern.ts';
import { parsePattern } from './parse-pattern.ts';

/** A compiled `pattern`. */
export interface CompiledPattern {
  /** Whether the expression is found anywhere in the text, as JSON Schema defines `pattern`. */
  test(text: string): boolean;
}

/** The pattern, or why it cannot be used. */
export type PatternResult =
  | { readonly ok: true; readonly pattern: CompiledPattern; readonly engine: 'native' | 'linear' }
  | { readonly ok: false; readonly reason: 'invalid' | 'not_linear' };

/** Longest accepted expression, in UTF-16 code units. */
const MAX_SOURCE_LENGTH = 4_096;

/**
 * Compiles a `pattern` of a JSON Schema (ECMA-262 with the `u` flag) so that no text can make it run for ever.
 * Expressions whose backtracking is bounded by their form run in the platform's engine, all others in a linear one.
 * Escapes that only the older, lenient dialect allows (`\-` outside a class, `\_`) are accepted.
 *
 * The linear engine is our own because the measured library (re2js 2.10) takes 20 ms to import and 17 ms for a first
 * pattern, must be loaded asynchronously, knows no lookahead, and gives `\s`, `.` and `\u{…}` other meanings than
 * ECMA-262; here the platform itself decides single characters. Back-references and lookbehind are `not_linear`.
 */
export function compilePattern(source: string): PatternResult {
  if (source.length > MAX_SOURCE_LENGTH) return { ok: false, reason: 'not_linear' };
  const unicode = toUnicodeSource(source);
  if (unicode === undefined) return { ok: false, reason: 'invalid' };
  const node = parsePattern(unicode);
  if (node === undefined) return { ok: false, reason: 'not_linear' };
  if (isBounded(node)) {
    return { ok: true, pattern: new RegExp(unicode, 'u'), engine: 'native' };
  }
  const test = buildLinearPattern(node);
  if (test === undefined) return { ok: false, reason: 'not_linear' };
  return { ok: true, pattern: { test }, engine: 'linear' };
}

/** The expression in the strict dialect of the `u` flag, or `undefined` if it is none. */
function toUnicodeSource(source: string): string | undefined {
  if (isExpression(source)) return source;
  const strict = source.replaceAll(/\\([\s\S])/gu, (escape, character: string) =>
    /[A-Za-z0-9^$\\.*+?()[\]{}|/-]/u.test(character) ? escape : character,
  );
  // `\-` is allowed inside a class only, where it must stay.
  const dashes = strict.replaceAll(/\[(?:\\[\s\S]|[^\]\\])*\]|\\[\s\S]/gu, (part) =>
    part === '\\-' ? '-' : part,
  );
  return isExpression(dashes) ? dashes : undefined;
}

function isExpression(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Most ways in which the bounded parts of a native expression may be tried at one place, and its longest match. */
const MAX_WAYS = 256;
/** The same product where the search may start at every place of the text. */
const MAX_FLOATING_WORK = 256;

interface Bounds {
  ways: number;
  length: number;
  unbounded: number;
}

/**
 * True if backtracking cannot explode: only single characters are repeated, at most one of them without an upper
 * bound and then behind a leading `^`, and the bounded ones multiply to few ways.
 */
function isBounded(root: PatternNode): boolean {
  const bounds: Bounds = { ways: 1, length: 0, unbounded: 0 };
  if (!measure(root, bounds)) return false;
  if (!isAnchored(root)) {
    return bounds.unbounded === 0 && bounds.ways * bounds.length <= MAX_FLOATING_WORK;
  }
  return bounds.unbounded <= 1 && bounds.ways <= MAX_WAYS;
}

function measure(node: PatternNode, bounds: Bounds): boolean {
  switch (node.kind) {
    case 'sequence':
      return node.parts.every((part) => measure(part, bounds));
    case 'choice':
      bounds.ways *= node.options.length;
      return node.options.every((option) => measure(option, bounds));
    case 'repeat': {
      if (node.body.kind !== 'character') return false;
      const isOpen = node.max === Infinity;
      if (isOpen) bounds.unbounded += 1;
      else bounds.ways *= node.max - node.min + 1;
      bounds.length += isOpen ? node.min : node.max;
      return true;
    }
    case 'lookahead':
      return false;
    case 'character':
      bounds.length += 1;
      return true;
    case 'start':
    case 'end':
    case 'boundary':
      break;
  }
  return true;
}

function isAnchored(node: PatternNode): boolean {
  if (node.kind === 'start') return true;
  if (node.kind === 'choice') return node.options.every(isAnchored);
  return node.kind === 'sequence' && node.parts[0] !== undefined && isAnchored(node.parts[0]);
}

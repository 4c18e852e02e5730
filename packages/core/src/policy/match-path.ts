import type { PathFolding } from '../workspace/workspace.ts';
import type { GlobToken } from './match-glob.ts';
import { escapeGlob, globPrecision, matchGlob, parseGlob } from './match-glob.ts';
import type { Coverage, TargetMatcher } from './match-target.ts';

/** One segment of a path pattern: `**`, or a glob that stays inside the segment. */
type Segment = 'deep' | readonly GlobToken[];

/**
 * Compiles a path pattern: a gitignore glob anchored at the workspace's root, so that `.env*` means the root's own
 * and `**` + `/.env*` means every folder's. As in gitignore, what matches a folder covers everything in it, `*` stays
 * inside a segment, a pattern that ends in `/` means folders, and `**` is special only as a whole segment.
 * Case counts unless `folding` takes it away. Negation (`!`) does not exist here.
 *
 * A target may be a tree (`src/**`, `**`): covering it all and touching a part of it are told apart.
 *
 * @throws TypeError for negation, empty segments, and brackets left open.
 */
export function pathMatcher(pattern: string, folding: PathFolding): TargetMatcher {
  if (pattern.startsWith('!'))
    throw new TypeError('negation does not exist; write a rule with another decision');
  const fold = (text: string): string => {
    const formed = folding.unicodeInsensitive ? text.normalize('NFC') : text;
    return folding.caseInsensitive ? formed.toLowerCase() : formed;
  };
  const foldersOnly = pattern.endsWith('/');
  const trimmed = fold(pattern).replace(/^\//u, '').replace(/\/$/u, '');
  const segments = trimmed.split('/').map(parseSegment);
  const precisions = segments.map((segment) => (segment === 'deep' ? 0 : globPrecision(segment)));
  const isExact = precisions.every((precision) => precision === Infinity);
  return {
    precision: isExact ? Infinity : countLiterals(segments),
    match: (effect) => matchPath({ segments, foldersOnly }, fold(effect.target)),
  };
}

/** The pattern that means exactly this target, a path or a tree. */
export function exactPathPattern(target: string): string {
  const isTree = target === '**' || target.endsWith('/**');
  const base = isTree ? target.slice(0, -2) : target;
  return escapeGlob(base).replace(/^!/u, '\\!') + (isTree ? '**' : '');
}

interface PathPattern {
  readonly segments: readonly Segment[];
  readonly foldersOnly: boolean;
}

function countLiterals(segments: readonly Segment[]): number {
  return segments
    .flatMap((segment) => (segment === 'deep' ? [] : segment))
    .filter(({ kind }) => kind === 'literal').length;
}

function parseSegment(text: string): Segment {
  if (text === '**') return 'deep';
  const tokens = parseGlob(text);
  if (tokens === undefined) throw new TypeError('a bracket or a backslash at the end is left open');
  if (tokens.length === 0) throw new TypeError('a path pattern has no empty segments');
  return tokens;
}

function matchPath({ segments, foldersOnly }: PathPattern, target: string): Coverage {
  const { parts, isTree } = splitTree(target);
  const end = segments.length;
  let states = skipDeep(segments, new Set([0]));
  for (const [index, part] of parts.entries()) {
    const isFolder = isTree || index < parts.length - 1;
    const next = new Set<number>();
    for (const state of states) {
      const segment = segments[state];
      if (segment === undefined) continue;
      if (segment === 'deep') {
        next.add(state);
        if (state === end - 1) next.add(end);
      } else if (matchGlob(segment, part)) {
        next.add(state + 1);
      }
    }
    // What matches a folder covers all that is in it.
    if (next.has(end) && (isFolder || !foldersOnly)) return 'all';
    next.delete(end);
    states = skipDeep(segments, next);
  }
  if (!isTree || states.size === 0) return 'none';
  return !foldersOnly && states.has(end - 1) && matchesAnything(segments[end - 1])
    ? 'all'
    : 'perhaps';
}

/** A `**` may stand for no segment at all, except the last one, which wants something below. */
function skipDeep(segments: readonly Segment[], states: Set<number>): Set<number> {
  for (const state of states) {
    if (segments[state] === 'deep' && state < segments.length - 1) states.add(state + 1);
  }
  return states;
}

function matchesAnything(segment: Segment | undefined): boolean {
  return segment === 'deep' || (segment?.length === 1 && segment[0]?.kind === 'star');
}

/** Only `**` as the last segment makes a tree; a file may be called `[id]` or `*`. */
function splitTree(target: string): {
  readonly parts: readonly string[];
  readonly isTree: boolean;
} {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const isTree = parts.at(-1) === '**';
  return { parts: isTree ? parts.slice(0, -1) : parts, isTree };
}

import { expandBraces } from './expand-braces.ts';
import type { GlobOptions } from './parse-glob.ts';

/** How the paths end that a pattern matches. */
export interface LiteralTails {
  /** Every match ends with one of these. */
  readonly tails: readonly string[];
  /** Every path that does is a match. */
  readonly isExact: boolean;
}

/** More of them would cost as much as the automaton. */
const maxTails = 8;

/** What can be seen of a pattern's matches without running it; undefined when nothing can. */
export function literalTails(pattern: string, options: GlobOptions): LiteralTails | undefined {
  const branches = expandBraces(pattern);
  if (branches.length > maxTails || branches.some((branch) => /[\\()[\]{}]/.test(branch))) {
    return undefined;
  }
  // Not across a slash: `**/name` is also `name` alone.
  const tails = branches.map((branch) => /[^*?/]*$/.exec(branch)?.[0] ?? '');
  if (tails.some((tail) => tail === '' || tail === '.' || tail === '..')) return undefined;
  const isExact = options.dot && branches.every((branch) => /^\*[^*?/]+$/.test(branch));
  return { tails, isExact };
}

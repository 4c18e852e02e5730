import type { Effect } from '../tool/effects.ts';
import type { PathFolding } from '../workspace/workspace.ts';

/** A path or a tree that a call reads or writes, in the form in which locks and views compare. */
export interface LockTarget {
  readonly mode: 'read' | 'write';
  /** Real workspace path, folded; `''` is the root. */
  readonly path: string;
  /** The path and everything below it. */
  readonly tree: boolean;
}

/**
 * Splits a target into the directory or file that it begins with and whether it means a tree: `**`, or a path whose
 * last name is `**`. Other characters of globs are part of names (`app/[id]/page.tsx`).
 */
export function splitTarget(target: string): { readonly base: string; readonly tree: boolean } {
  if (target === '**') return { base: '', tree: true };
  return target.endsWith('/**')
    ? { base: target.slice(0, -'/**'.length), tree: true }
    : { base: target, tree: false };
}

/** Whether two targets can mean the same file. */
export function overlaps(a: LockTarget, b: LockTarget): boolean {
  return covers(a, b.path) || covers(b, a.path);
}

/** Whether a target includes a path. */
export function covers(target: LockTarget, path: string): boolean {
  if (target.path === path) return true;
  if (!target.tree) return false;
  return target.path === '' || path.startsWith(`${target.path}/`);
}

/** A path in the form in which the workspace's disk compares names. */
export function foldPath(path: string, folding: PathFolding): string {
  const formed = folding.unicodeInsensitive ? path.normalize('NFC') : path;
  return folding.caseInsensitive ? formed.toLowerCase() : formed;
}

/** The files that an effect declares; nothing for effects that declare none. */
export function toFileTarget(effect: Effect, folding: PathFolding): LockTarget | undefined {
  if (effect.kind === 'unknown') return everything;
  if (effect.kind !== 'read' && effect.kind !== 'write') return undefined;
  const { base, tree } = splitTarget(effect.target);
  return { mode: effect.kind, path: foldPath(base, folding), tree };
}

/**
 * What to lock for an effect whose target is resolved; nothing for effects that touch no file. A command can write any
 * file, so it holds all of them while its call runs, although it gives its tool no right to write one.
 */
export function toLockTarget(effect: Effect, folding: PathFolding): LockTarget | undefined {
  return effect.kind === 'exec' ? everything : toFileTarget(effect, folding);
}

/** Everything, for writing. */
export const everything: LockTarget = Object.freeze({ mode: 'write', path: '', tree: true });

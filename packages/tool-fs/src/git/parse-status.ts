import { ToolError } from '@toolwright/core';

/** One changed path. */
export interface StatusEntry {
  readonly path: string;
  /** Where a renamed or copied file was. */
  readonly original_path?: string;
  /** One letter for the index and one for the working tree, as git has them; `.` for unchanged, `?` for untracked. */
  readonly index: string;
  readonly worktree: string;
  /** For a submodule: `S`, then `C` other commit, `M` modified content, `U` untracked content, or dots. */
  readonly submodule?: string;
}

/** The state of a working tree. */
export interface Status {
  /** Null when HEAD is detached. */
  readonly branch: string | null;
  /** Null before the first commit. */
  readonly commit: string | null;
  readonly upstream: string | null;
  readonly entries: readonly StatusEntry[];
}

/** Parses `git status --porcelain=v2 --branch -z`. */
export function parseStatus(fields: readonly string[]): Status {
  const head = new Map<string, string>();
  const entries: StatusEntry[] = [];
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? '';
    if (field.startsWith('# ')) {
      const space = field.indexOf(' ', 2);
      head.set(field.slice(2, space), field.slice(space + 1));
    } else if (field.startsWith('2 ')) {
      at += 1;
      const original = fields[at] ?? '';
      entries.push({ ...tracked(field, 9), original_path: original });
    } else if (field.startsWith('1 ')) {
      entries.push(tracked(field, 8));
    } else if (field.startsWith('u ')) {
      entries.push(tracked(field, 10));
    } else if (field.startsWith('? ')) {
      entries.push({ path: field.slice(2), index: '?', worktree: '?' });
    }
  }
  const branch = head.get('branch.head') ?? null;
  const commit = head.get('branch.oid') ?? null;
  return {
    branch: branch === '(detached)' ? null : branch,
    commit: commit === '(initial)' ? null : commit,
    upstream: head.get('branch.upstream') ?? null,
    entries,
  };
}

/** Refuses to go on with paths whose merge is not resolved. Errors: `version_conflict` (`unmerged`). */
export function assertMerged(entries: readonly StatusEntry[]): void {
  const unmerged = entries.filter(({ index, worktree }) => UNMERGED.has(index + worktree));
  if (unmerged.length === 0) return;
  const named = unmerged.slice(0, 10).map(({ path }) => JSON.stringify(path));
  throw new ToolError(
    'version_conflict',
    `The merge of ${named.join(', ')} is not resolved; edit what is between the conflict marks, then add the files.`,
    { reason: 'unmerged', fields: { paths: unmerged.slice(0, 100).map(({ path }) => path) } },
  );
}

/** Letters of both sides of a merge (git-status, "Short Format"). */
const UNMERGED: ReadonlySet<string> = new Set(['DD', 'AU', 'UD', 'UA', 'DU', 'AA', 'UU']);

/** An entry whose path stands after `skip` fields, blanks and all. */
function tracked(field: string, skip: number): StatusEntry {
  const parts = field.split(' ');
  const [, code = '..', submodule = 'N...'] = parts;
  return {
    path: parts.slice(skip).join(' '),
    index: code.charAt(0),
    worktree: code.charAt(1),
    ...(submodule.startsWith('S') ? { submodule } : {}),
  };
}

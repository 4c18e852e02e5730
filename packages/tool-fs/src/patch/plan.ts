import { ToolError } from '@toolwright/core';
import { addedText, applyHunks, type AppliedHunk, type HunkOutcome } from './apply.ts';
import { editText, newText, type EditedText } from './edited-text.ts';
import { sourceOf, type FilePatch } from './file-patch.ts';
import { hunkFailure, maxFailures, toPatchError, type PatchFailure } from './patch-failure.ts';

/** Characters that all sections of a diff may work on, a file counted as often as it is changed. */
const maxCharacters = 1_073_741_824;

/** What a path holds. */
export interface FileState {
  readonly content: EditedText;
  readonly executable: boolean;
  /** The path whose file the content was made from; null for a new file. */
  readonly origin: string | null;
  /** Why the content is no text; it can still be moved and deleted as a whole. */
  readonly unreadable?: ToolError;
}

/** What happens to one path of the workspace. */
interface PlannedChange {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
}

/** What a patch does: a report for each of its files, and one change for each path. */
export interface PatchPlan {
  readonly files: readonly {
    readonly patch: FilePatch;
    readonly hunks: readonly AppliedHunk[];
  }[];
  readonly changes: readonly PlannedChange[];
}

/**
 * Computes what a patch makes of the files, or refuses all of it; nothing is written. Sections that modify
 * the same file build on each other; renames and copies start from the files as they were, as git's do, so
 * that two files can change places.
 *
 * @param states every path of `touchedPaths`; null where no file is
 * @throws ToolError `version_conflict`/`context_mismatch` or `already_applied`, `invalid_argument`/
 *   `ambiguous`, `already_exists` or `no_change`, `not_found`, `limit_exceeded`; with `path`, `hunk`, `candidates`, `failures`
 */
export function planPatch(
  patches: readonly FilePatch[],
  states: ReadonlyMap<string, FileState | null>,
): PatchPlan {
  const tree = new PlannedTree(patches, states);
  const files: PatchPlan['files'][number][] = [];
  const failures: PatchFailure[] = [];
  let worked = 0;
  for (const patch of patches) {
    worked += tree.original(sourceOf(patch))?.content.text.length ?? 0;
    if (worked > maxCharacters) throw tooMuch(patch);
    assertReadable(patch, tree);
    const outcome = planFile(patch, tree);
    if ('hunks' in outcome) files.push({ patch, hunks: outcome.hunks });
    else failures.push(outcome.failure);
    if (failures.length === maxFailures) break;
  }
  if (failures.length > 0) throw toPatchError(failures);
  return { files, changes: tree.changes() };
}

function tooMuch(patch: FilePatch): ToolError {
  return new ToolError(
    'limit_exceeded',
    `Line ${patch.diffLine} of the diff: too many sections change the same large files; put the hunks of a file into one section.`,
    { reason: 'too_large', fields: { diff_line: patch.diffLine } },
  );
}

type FileOutcome = { readonly hunks: readonly AppliedHunk[] } | { readonly failure: PatchFailure };

function planFile(patch: FilePatch, tree: PlannedTree): FileOutcome {
  switch (patch.action) {
    case 'create':
      return planCreation(patch, tree);
    case 'delete':
      return planDeletion(patch, tree);
    case 'modify':
      return planModification(patch, tree);
    case 'rename':
    case 'copy':
      return planMove(patch, tree);
  }
}

function assertReadable(patch: FilePatch, tree: PlannedTree): void {
  if (patch.action === 'create') return;
  const listed = patch.action === 'delete' && patch.listsContent;
  const path = sourceOf(patch);
  const state = tree.current(path) ?? tree.original(path);
  if (state?.unreadable !== undefined && (listed || patch.hunks.length > 0)) throw state.unreadable;
}

function planCreation(patch: FilePatch, tree: PlannedTree): FileOutcome {
  const text = addedText(patch.hunks);
  const existing = tree.occupant(patch.path);
  if (patch.hunks.some(({ lines }) => lines.some(({ kind }) => kind !== 'add'))) {
    return failed(patch, 'invalid_argument', {
      message: `${patch.path} is to be created, but the hunk has lines of an old file; a new file has "+" lines alone.`,
    });
  }
  if (existing !== null) {
    const same = existing.unreadable === undefined && existing.content.text === text;
    return same
      ? failed(patch, 'version_conflict', {
          reason: 'already_applied',
          message: `${patch.path} exists already, with this very content.`,
        })
      : failed(patch, 'invalid_argument', {
          reason: 'already_exists',
          message: `${patch.path} exists already, with other content. Change it by a hunk, or delete it first.`,
        });
  }
  tree.put(patch.path, {
    content: newText(text),
    executable: patch.executable ?? false,
    origin: null,
  });
  return { hunks: patch.hunks.map(() => ({ line: 1, offset: 0 })) };
}

function planDeletion(
  patch: Extract<FilePatch, { action: 'delete' }>,
  tree: PlannedTree,
): FileOutcome {
  const state = tree.current(patch.path);
  if (state === null) return missing(patch, patch.path);
  const applied = applyHunks(state.content.text, patch.hunks);
  if (applied.kind === 'failed') return hunksFailed(patch, applied);
  const left = editText(state.content, applied.splices).text;
  if (patch.listsContent && left !== '' && left !== '\uFEFF') {
    const lines = left.split('\n').length - (left.endsWith('\n') ? 1 : 0);
    return failed(patch, 'version_conflict', {
      reason: 'context_mismatch',
      message: `${patch.path} is to be deleted, but it has ${lines} lines that the diff does not remove. Read it again, and list its whole content as "-" lines.`,
    });
  }
  tree.remove(patch.path);
  return { hunks: applied.hunks };
}

function planModification(patch: FilePatch, tree: PlannedTree): FileOutcome {
  const state = tree.current(patch.path);
  if (state === null) return missing(patch, patch.path);
  const applied = applyHunks(state.content.text, patch.hunks);
  if (applied.kind === 'failed') return hunksFailed(patch, applied);
  const executable = patch.executable ?? state.executable;
  const content = editText(state.content, applied.splices);
  if (content.text === state.content.text && executable === state.executable) {
    return patch.hunks.length === 0
      ? failed(patch, 'version_conflict', {
          reason: 'already_applied',
          message: `${patch.path} has this mode already.`,
        })
      : failed(patch, 'invalid_argument', {
          reason: 'no_change',
          message: `The hunks of ${patch.path} change nothing.`,
        });
  }
  tree.modify(patch.path, { ...state, content, executable });
  return { hunks: applied.hunks };
}

function planMove(
  patch: Extract<FilePatch, { action: 'rename' | 'copy' }>,
  tree: PlannedTree,
): FileOutcome {
  const state = patch.action === 'copy' ? tree.original(patch.from) : tree.origin(patch.from);
  const occupant = patch.path === patch.from ? null : tree.occupant(patch.path);
  if (state === null) {
    return occupant === null
      ? missing(patch, patch.from)
      : failed(patch, 'version_conflict', {
          reason: 'already_applied',
          message: `${patch.from} is not there and ${patch.path} is: the ${patch.action} seems to have been made.`,
        });
  }
  const applied = applyHunks(state.content.text, patch.hunks);
  if (applied.kind === 'failed') return hunksFailed(patch, applied);
  if (occupant !== null) {
    return failed(patch, 'invalid_argument', {
      reason: 'already_exists',
      message: `${patch.path} exists already, so ${patch.from} cannot take its name.`,
    });
  }
  const executable = patch.executable ?? state.executable;
  const content = editText(state.content, applied.splices);
  if (patch.action === 'rename') tree.leave(patch.from);
  tree.put(patch.path, { ...state, content, executable });
  return { hunks: applied.hunks };
}

function hunksFailed(
  patch: FilePatch,
  applied: Extract<HunkOutcome, { kind: 'failed' }>,
): FileOutcome {
  const path = sourceOf(patch);
  const failure = hunkFailure(path, applied);
  if (failure === null) throw new TypeError(`No hunk of ${path} failed.`);
  return { failure };
}

function missing(patch: FilePatch, path: string): FileOutcome {
  return failed(patch, 'not_found', {
    message: `${path} does not exist. To create a file, give "/dev/null" as its old name ("*** Add File: " in V4A).`,
    path,
  });
}

function failed(
  patch: FilePatch,
  type: PatchFailure['type'],
  rest: Pick<PatchFailure, 'message' | 'reason'> & { readonly path?: string },
): FileOutcome {
  return { failure: { path: patch.path, diffLine: patch.diffLine, type, ...rest } };
}

/** The files as the sections planned so far leave them. */
class PlannedTree {
  readonly #states: ReadonlyMap<string, FileState | null>;
  readonly #planned = new Map<string, FileState | null>();
  /** Paths that got another file's content or a new one. */
  readonly #arrived = new Set<string>();
  /** Paths that the patch deletes or renames, at whatever place. */
  readonly #vacated: ReadonlySet<string>;

  constructor(patches: readonly FilePatch[], states: ReadonlyMap<string, FileState | null>) {
    this.#states = states;
    const vacated = new Set<string>();
    for (const patch of patches) {
      if (patch.action === 'rename') vacated.add(patch.from);
      if (patch.action === 'delete') vacated.add(patch.path);
    }
    this.#vacated = vacated;
  }

  current(path: string): FileState | null {
    const planned = this.#planned.get(path);
    return planned === undefined ? this.original(path) : planned;
  }

  /** What a copy starts from. */
  original(path: string): FileState | null {
    return this.#states.get(path) ?? null;
  }

  /** What a rename starts from: the file that had the name, with what earlier sections changed in it. */
  origin(path: string): FileState | null {
    return this.#arrived.has(path) ? this.original(path) : this.current(path);
  }

  /** What stands in the way of a new file: nothing, where the patch takes it away. */
  occupant(path: string): FileState | null {
    return this.#vacated.has(path) && !this.#arrived.has(path) ? null : this.current(path);
  }

  modify(path: string, state: FileState): void {
    this.#planned.set(path, state);
  }

  put(path: string, state: FileState): void {
    this.#planned.set(path, state);
    this.#arrived.add(path);
  }

  remove(path: string): void {
    this.#planned.set(path, null);
    this.#arrived.delete(path);
  }

  /** Takes a file away from its name, unless the name has been given to another one. */
  leave(path: string): void {
    if (!this.#arrived.has(path)) this.#planned.set(path, null);
  }

  changes(): readonly PlannedChange[] {
    return [...this.#planned].map(([path, after]) => ({
      path,
      before: this.original(path),
      after,
    }));
  }
}

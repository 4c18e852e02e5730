import {
  sha256Hex,
  type ExpectedVersion,
  type ToolContext,
  type WorkspaceChange,
} from '@toolwright/core';
import { encodeState } from './encode-change.ts';
import type { LoadedFile } from './load-files.ts';
import type { PatchPlan } from './plan.ts';

/** The changes of the workspace that a plan comes to, and what the paths then hold. */
export async function toChanges(
  plan: PatchPlan,
  files: ReadonlyMap<string, LoadedFile | null>,
): Promise<{ readonly changes: WorkspaceChange[]; readonly after: ReadonlyMap<string, string> }> {
  const changes: WorkspaceChange[] = [];
  const after = new Map<string, string>();
  for (const { path, after: state } of plan.changes) {
    const file = files.get(path) ?? null;
    const expected: ExpectedVersion =
      file === null ? { kind: 'absent' } : { kind: 'sha256', sha256: file.sha256 };
    if (state === null) {
      if (file !== null) changes.push({ kind: 'delete', path, expected });
      continue;
    }
    const content = await encodeState(path, state, files);
    const sha256 = sha256Hex(content);
    const { executable, origin } = state;
    after.set(path, sha256);
    // A file that comes from another name brings its permissions along.
    const moved = origin === null || origin === path ? undefined : files.get(origin);
    const mode = moved?.mode;
    if (sha256 !== file?.sha256 || mode !== undefined) {
      const had = (mode === undefined ? file : moved)?.executable ?? false;
      const bits = {
        ...(mode === undefined ? {} : { mode }),
        ...(executable === had ? {} : { executable }),
      };
      changes.push({ kind: 'write', path, content, expected, ...bits });
    } else if (executable !== file.executable) {
      changes.push({ kind: 'set_executable', path, executable, expected });
    }
  }
  return { changes, after };
}

/** Stages every change, then makes all of them visible; on any failure nothing has changed. */
export async function promoteChanges(
  changes: readonly WorkspaceChange[],
  { workspace, signal }: ToolContext<'files.write'>,
): Promise<void> {
  const transaction = await workspace.writer.begin({ signal });
  try {
    for (const change of changes) await transaction.stage(change);
    await transaction.promoteAll();
  } finally {
    await transaction.rollback();
  }
}

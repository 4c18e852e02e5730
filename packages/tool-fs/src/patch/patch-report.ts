import type { JsonObject } from '@toolwright/core';
import { showName } from '../display/show-name.ts';
import { sourceOf } from './file-patch.ts';
import type { PatchPlan } from './plan.ts';

/** SHA-256 of the paths of a patch, before and after; absent where no file is. */
export interface PatchDigests {
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
}

/** Bytes of JSON that the report of files may take; the kernel bounds a result's metadata at 64 KiB. */
const maxReportBytes = 57_344;
/** Hunks that are reported in all. */
const maxReportedHunks = 1_000;

/**
 * What a patch did, for callers: an entry for each file of the diff. `applied_at` is the 1-based line of the
 * file as it was, `offset` how far that is from where the header said. What is too much is counted in
 * `hunks_omitted` and `files_omitted`.
 */
export function patchMetadata(plan: PatchPlan, digests: PatchDigests, dryRun: boolean): JsonObject {
  let left = maxReportedHunks;
  const entries = plan.files.map(({ patch, hunks }): JsonObject => {
    const shown = hunks.slice(0, left).map(({ line, offset }) => ({ applied_at: line, offset }));
    left -= shown.length;
    const source = sourceOf(patch);
    const before = patch.action === 'create' ? null : (digests.before.get(source) ?? null);
    return {
      path: patch.path,
      action: patch.action,
      ...(source === patch.path ? {} : { from: source }),
      hunks: shown,
      ...(shown.length < hunks.length ? { hunks_omitted: hunks.length - shown.length } : {}),
      ...(patch.executable === undefined ? {} : { executable: patch.executable }),
      before_sha256: before,
      // What takes the place of a deleted file has an entry of its own.
      after_sha256: patch.action === 'delete' ? null : (digests.after.get(patch.path) ?? null),
    };
  });
  const files: JsonObject[] = [];
  let bytes = 0;
  for (const entry of entries) {
    bytes += new TextEncoder().encode(JSON.stringify(entry)).length + 1;
    if (bytes > maxReportBytes) break;
    files.push(entry);
  }
  const omitted = entries.length - files.length;
  return { files, dry_run: dryRun, ...(omitted > 0 ? { files_omitted: omitted } : {}) };
}

/** What a patch did, for the model: a line for each file, with hunks that are not where the diff says. */
export function patchSummary(plan: PatchPlan, dryRun: boolean): string {
  const paths = new Set(plan.files.map(({ patch }) => patch.path)).size;
  const count = paths === 1 ? '1 file' : `${paths} files`;
  const head = dryRun
    ? `The patch applies to ${count}; nothing was written (dry run).`
    : `Patched ${count}.`;
  const lines = plan.files.map(({ patch, hunks }) => {
    const source = sourceOf(patch);
    const names =
      source === patch.path
        ? showName(patch.path)
        : `${showName(source)} -> ${showName(patch.path)}`;
    const moved = hunks.flatMap(({ line, offset }, index) =>
      offset === 0
        ? []
        : [`hunk ${index + 1} at line ${line} (offset ${offset > 0 ? '+' : ''}${offset})`],
    );
    const number =
      hunks.length === 0 ? '' : ` (${hunks.length} ${hunks.length === 1 ? 'hunk' : 'hunks'})`;
    return `${patch.action} ${names}${number}${moved.length === 0 ? '' : `: ${moved.join(', ')}`}`;
  });
  return [head, ...lines].join('\n');
}

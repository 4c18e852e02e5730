import { ToolError } from '@toolwright/core';
import { diffLines } from './diff-lines.ts';
import type { FilePatch } from './file-patch.ts';
import { isFileHeader } from './hunk-body.ts';
import { malformedDiff } from './malformed-diff.ts';
import { isEnvelopeStart, parseEnvelope } from './parse-envelope.ts';
import { parseUnified } from './parse-unified.ts';
import { resolveNames } from './resolve-names.ts';

/**
 * Reads a diff: unified or git-style, or V4A, whichever begins first; text around it is skipped.
 *
 * @param filePath all hunks apply to this file, and names in the diff are ignored
 * @throws ToolError `invalid_argument`/`malformed_diff` or `hunk_counts`, with `diff_line`; `unsupported`
 *   for binary, combined and context diffs, links and submodules
 */
export function parsePatch(diff: string, filePath?: string): readonly FilePatch[] {
  const lines = diffLines(diff);
  const patches = isEnvelope(lines)
    ? parseEnvelope(lines)
    : resolveNames(parseUnified(lines), filePath);
  if (patches.length === 0) {
    throw new ToolError(
      'invalid_argument',
      'The diff holds no change. Send a unified diff ("--- a/PATH", "+++ b/PATH", "@@ -1,3 +1,3 @@" and the ' +
        'lines of the hunk) or a "*** Begin Patch" … "*** End Patch" envelope.',
      { reason: 'malformed_diff' },
    );
  }
  const named = filePath === undefined ? patches : [forFile(patches, filePath)];
  for (const patch of named) assertChanges(patch);
  return named;
}

function isEnvelope(lines: readonly string[]): boolean {
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (isEnvelopeStart(line)) return true;
    if (line.startsWith('diff --git ') || /^@@ -\d/u.test(line) || isFileHeader(lines, at)) {
      return false;
    }
  }
  return false;
}

/** All sections as one change of one file; a creation or deletion stands alone. */
function forFile(patches: readonly FilePatch[], filePath: string): FilePatch {
  const [first] = patches;
  if (patches.length === 1 && first !== undefined) {
    const { action, diffLine, hunks, executable } = first;
    const base = {
      path: filePath,
      diffLine,
      hunks,
      ...(executable === undefined ? {} : { executable }),
    };
    if (action === 'create') return { ...base, action };
    if (action === 'delete') return { ...base, action, listsContent: first.listsContent };
    return { ...base, action: 'modify' };
  }
  const other = patches.find(({ action }) => action === 'create' || action === 'delete');
  if (other !== undefined) {
    throw malformedDiff(
      other.diffLine,
      'with file_path, a file that is created or deleted must be the only one of the diff.',
    );
  }
  const hunks = patches
    .flatMap((patch) => patch.hunks)
    .map((hunk, index) => ({ ...hunk, number: index + 1 }));
  return { action: 'modify', path: filePath, diffLine: first?.diffLine ?? 1, hunks };
}

function assertChanges(patch: FilePatch): void {
  if (patch.action !== 'modify' || patch.hunks.length > 0 || patch.executable !== undefined) return;
  throw malformedDiff(patch.diffLine, `"${patch.path}" has neither hunks nor a change of mode.`);
}

import { ToolError } from '@toolwright/core';
import { trimCr } from './diff-lines.ts';
import { readGitHeader, type GitHeader } from './git-header.ts';
import { isFileHeader, isUnifiedBoundary } from './hunk-body.ts';
import type { Hunk } from './hunk.ts';
import { malformedDiff } from './malformed-diff.ts';
import { readHunk } from './read-hunk.ts';

/** One file of a unified diff, its names not yet interpreted. */
export interface UnifiedSection {
  /** 1-based line of the diff where it begins. */
  readonly diffLine: number;
  readonly git: GitHeader | null;
  /** What stands after `--- ` and `+++ `; null when the section has no such lines. */
  readonly names: { readonly old: string; readonly new: string } | null;
  readonly hunks: readonly Hunk[];
}

interface OpenSection extends UnifiedSection {
  names: UnifiedSection['names'];
  readonly hunks: Hunk[];
}

/**
 * Splits a unified or git diff into its files. Text that belongs to no file (mail headers, prose, fences)
 * is skipped.
 *
 * @throws ToolError `invalid_argument`/`malformed_diff` or `hunk_counts`; `unsupported`/`binary_patch`,
 *   `combined_diff`, `context_diff` or `file_mode`
 */
export function parseUnified(lines: readonly string[]): readonly UnifiedSection[] {
  const sections: OpenSection[] = [];
  const isEnd = (index: number): boolean => isUnifiedBoundary(lines, index);
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const current = sections.at(-1);
    if (line.startsWith('diff --git ')) {
      const { header, next } = readGitHeader(lines, at);
      sections.push({ diffLine: at + 1, git: header, names: null, hunks: [] });
      at = next;
    } else if (isFileHeader(lines, at)) {
      const names = { old: line.slice(4), new: (lines[at + 1] ?? '').slice(4) };
      if (current !== undefined && isOwnHeader(current, names)) current.names = names;
      else sections.push({ diffLine: at + 1, git: null, names, hunks: [] });
      at += 2;
    } else if (line.startsWith('@@') && !line.startsWith('@@@')) {
      const section = current ?? { diffLine: at + 1, git: null, names: null, hunks: [] };
      if (current === undefined) sections.push(section);
      const { hunk, next } = readHunk(lines, at, {
        number: section.hunks.length + 1,
        isEnd,
        counted: true,
      });
      section.hunks.push(hunk);
      at = next;
    } else {
      refuseForeignForms(lines, at);
      at += 1;
    }
  }
  return sections;
}

/** Whether names belong to the `diff --git` line before them: a rename without hunks has none of its own. */
function isOwnHeader(
  section: OpenSection,
  names: { readonly old: string; readonly new: string },
): boolean {
  const { git } = section;
  if (git === null || section.names !== null || section.hunks.length > 0) return false;
  return [names.old, names.new].every((text) => {
    const name = /^[^\t\r]*/u.exec(text)?.[0] ?? '';
    return name === '/dev/null' || git.pair.includes(name);
  });
}

/** What looks like a change but cannot be applied must not pass as prose. */
function refuseForeignForms(lines: readonly string[], at: number): void {
  const line = trimCr(lines[at] ?? '');
  if (/^(?:GIT binary patch$|Binary files .+ differ$)/u.test(line)) {
    throw unsupported(
      at,
      'binary_patch',
      'binary changes cannot be applied; take this file out of the diff.',
    );
  }
  if (/^(?:@@@ |diff --(?:cc|combined) )/u.test(line)) {
    throw unsupported(
      at,
      'combined_diff',
      'the combined diff of a merge has no single old side; make it against one parent.',
    );
  }
  if (/^\*{15}/u.test(line)) {
    throw unsupported(
      at,
      'context_diff',
      'context diffs are not read; make a unified one (diff -u).',
    );
  }
  if (/^(?:--- |\+\+\+ )./u.test(line) && lines[at + 1]?.startsWith('@@') === true) {
    throw malformedDiff(
      at + 1,
      'a file header needs both lines, "--- a/PATH" and then "+++ b/PATH" ("/dev/null" where the file is not there).',
    );
  }
}

function unsupported(at: number, reason: string, message: string): ToolError {
  return new ToolError('unsupported', `Line ${at + 1} of the diff: ${message}`, {
    reason,
    fields: { diff_line: at + 1 },
  });
}

import { ToolError } from '@toolwright/core';
import { trimCr } from './diff-lines.ts';
import { malformedDiff } from './malformed-diff.ts';
import { readQuotedPath } from './quoted-path.ts';

/** The extended header of a file in a git diff. */
export interface GitHeader {
  /** What stands after `diff --git `: two names, not separable by sight where they hold blanks. */
  readonly pair: string;
  readonly created: boolean;
  readonly deleted: boolean;
  /** Names without prefix. */
  readonly move?: { readonly kind: 'rename' | 'copy'; readonly from: string; readonly to: string };
  /** What the mode after the change says; absent when the header tells no mode. */
  readonly executable?: boolean;
}

/** No longer than this are lines that tell a mode. */
const maxModeLine = 200;
const modeLine = /^(?:(old|new) mode|(new|deleted) file mode|index \S+\.\.\S+) (\d{6})$/u;
const nameLine = /^(rename|copy) (from|to) (.+)$/u;
const otherLine = /^(?:similarity|dissimilarity) index |^index /u;

/**
 * Reads the header that begins at a `diff --git` line, up to its last extended line.
 *
 * @throws ToolError `unsupported` for links and submodules; `invalid_argument`/`malformed_diff` for a
 *   rename or copy that lacks a name
 */
export function readGitHeader(
  lines: readonly string[],
  at: number,
): { readonly header: GitHeader; readonly next: number } {
  const names: Record<string, string> = {};
  let created = false;
  let deleted = false;
  let executable: boolean | undefined;
  let next = at + 1;
  for (; next < lines.length; next += 1) {
    const line = trimCr(lines[next] ?? '');
    const mode = line.length > maxModeLine ? null : modeLine.exec(line);
    const name = nameLine.exec(line);
    if (mode !== null) {
      const [, change, file, digits = ''] = mode;
      assertRegularMode(digits, next + 1);
      if (file === 'new') created = true;
      if (file === 'deleted') deleted = true;
      if (file === 'new' || change === 'new')
        executable = (Number.parseInt(digits, 8) & 0o100) !== 0;
    } else if (name !== null) {
      names[`${name[1]} ${name[2]}`] = plainOrQuoted(name[3] ?? '', next + 1);
    } else if (!otherLine.test(line)) break;
  }
  const header = {
    pair: trimCr(lines[at] ?? '').slice('diff --git '.length),
    created,
    deleted,
    ...(executable === undefined ? {} : { executable }),
  };
  for (const kind of ['rename', 'copy'] as const) {
    const from = names[`${kind} from`];
    const to = names[`${kind} to`];
    if (from !== undefined && to !== undefined) {
      return { header: { ...header, move: { kind, from, to } }, next };
    }
    if (from !== undefined || to !== undefined) {
      throw malformedDiff(at + 1, `this file has only one of "${kind} from" and "${kind} to".`);
    }
  }
  return { header, next };
}

function plainOrQuoted(text: string, diffLine: number): string {
  return text.startsWith('"') ? readQuotedPath(text, diffLine).path : text;
}

function assertRegularMode(digits: string, diffLine: number): void {
  if (digits.startsWith('100')) return;
  const what =
    digits === '120000' ? 'a symbolic link' : digits === '160000' ? 'a submodule' : 'no file';
  throw new ToolError(
    'unsupported',
    `Line ${diffLine} of the diff: mode ${digits} is ${what}; patch changes regular files only. Remove this file from the diff.`,
    { reason: 'file_mode', fields: { diff_line: diffLine } },
  );
}

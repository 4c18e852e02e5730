import { trimCr } from './diff-lines.ts';
import type { FilePatch } from './file-patch.ts';
import type { Hunk, HunkLine } from './hunk.ts';
import { malformedDiff } from './malformed-diff.ts';
import { readHunk } from './read-hunk.ts';

const begin = '*** Begin Patch';
const end = '*** End Patch';
const directive = /^\*\*\* (Add|Delete|Update) File: (.+)$/u;
const moveTo = /^\*\*\* Move to: (.+)$/u;
const endOfFile = '*** End of File';

/** Whether the text at this line is an envelope of V4A, the `*** Begin Patch` form. */
export function isEnvelopeStart(line: string): boolean {
  const text = line.trim();
  return text === begin || directive.test(text);
}

/**
 * Reads the V4A form: `*** Add File`, `*** Update File` (with `*** Move to`), `*** Delete File` between
 * `*** Begin Patch` and `*** End Patch`. Text before and after is skipped. An envelope that is not ended
 * may have been cut off, and is refused.
 *
 * @throws ToolError `invalid_argument`/`malformed_diff`
 */
export function parseEnvelope(lines: readonly string[]): readonly FilePatch[] {
  const patches: FilePatch[] = [];
  let at = lines.findIndex((line) => isEnvelopeStart(line));
  const wrapped = lines[at]?.trim() === begin;
  const opened = at + 1;
  if (wrapped) at += 1;
  while (at < lines.length && at !== -1) {
    const line = trimCr(lines[at] ?? '');
    if (line.trim() === end) return patches;
    const match = directive.exec(line);
    if (match === null) {
      if (line.trim() !== '') throw unexpected(line, at);
      at += 1;
      continue;
    }
    const [, kind, path = ''] = match;
    const read = kind === 'Add' ? readAdd : kind === 'Update' ? readUpdate : readDelete;
    const { patch, next } = read(lines, at, path);
    patches.push(patch);
    at = next;
  }
  if (wrapped) {
    throw malformedDiff(
      opened,
      `"${begin}" has no "${end}"; the patch may have been cut off. Send it whole.`,
    );
  }
  return patches;
}

interface ReadSection {
  readonly patch: FilePatch;
  readonly next: number;
}

function readAdd(lines: readonly string[], at: number, path: string): ReadSection {
  const added: HunkLine[] = [];
  let blanks = 0;
  let next = at + 1;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    if (line.startsWith('*** ')) break;
    if (trimCr(line) === '') {
      blanks += 1;
      continue;
    }
    if (!line.startsWith('+')) {
      throw malformedDiff(next + 1, `each line of the new file "${path}" needs the prefix "+".`);
    }
    for (; blanks > 0; blanks -= 1) added.push({ kind: 'add', text: '', terminated: true });
    added.push({ kind: 'add', text: line.slice(1), terminated: true });
  }
  const hunk: Hunk = {
    number: 1,
    diffLine: at + 1,
    start: 0,
    newStart: 1,
    anchors: [],
    atEnd: false,
    lines: added,
  };
  return {
    patch: { action: 'create', path, diffLine: at + 1, hunks: added.length === 0 ? [] : [hunk] },
    next,
  };
}

function readDelete(_lines: readonly string[], at: number, path: string): ReadSection {
  return {
    patch: { action: 'delete', path, diffLine: at + 1, hunks: [], listsContent: false },
    next: at + 1,
  };
}

function readUpdate(lines: readonly string[], at: number, path: string): ReadSection {
  const move = moveTo.exec(trimCr(lines[at + 1] ?? ''))?.[1];
  const hunks: Hunk[] = [];
  let next = at + (move === undefined ? 1 : 2);
  while (next < lines.length) {
    const line = trimCr(lines[next] ?? '');
    if (line === endOfFile) {
      const last = hunks.pop();
      if (last === undefined) throw malformedDiff(next + 1, `"${endOfFile}" follows no hunk.`);
      hunks.push({ ...last, atEnd: true });
      next += 1;
    } else if (line.startsWith('*** ')) break;
    else if (line === '') next += 1;
    else if (/^(?:@@|[ +-])/u.test(line)) {
      const read = readHunk(lines, next, {
        number: hunks.length + 1,
        isEnd: () => false,
        counted: false,
      });
      hunks.push(read.hunk);
      next = read.next;
    } else throw unexpected(line, next);
  }
  if (hunks.length === 0 && move === undefined) {
    throw malformedDiff(at + 1, `the update of "${path}" has no hunks.`);
  }
  const base = { diffLine: at + 1, hunks };
  return {
    patch:
      move === undefined
        ? { ...base, action: 'modify', path }
        : { ...base, action: 'rename', from: path, path: move },
    next,
  };
}

function unexpected(line: string, at: number): Error {
  return malformedDiff(
    at + 1,
    `"${line.slice(0, 80)}" is not expected here. Lines of a hunk begin with " ", "-" or "+"; files with ` +
      `"*** Add File: ", "*** Update File: " or "*** Delete File: "; the patch ends with "${end}".`,
  );
}

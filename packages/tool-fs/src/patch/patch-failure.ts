import { ToolError, type JsonObject } from '@toolwright/core';
import type { Location } from './locate.ts';
import { nearMisses, showLines } from './near-miss.ts';
import type { PreparedHunk } from './prepared-hunk.ts';
import type { SourceText } from './source-text.ts';

/** Why one file of a patch cannot be changed as asked. */
export interface PatchFailure {
  readonly path: string;
  readonly type: 'invalid_argument' | 'not_found' | 'version_conflict';
  readonly reason?:
    | 'ambiguous'
    | 'overlapping_hunks'
    | 'context_mismatch'
    | 'already_applied'
    | 'already_exists'
    | 'no_change';
  readonly message: string;
  /** 1-based line of the diff. */
  readonly diffLine: number;
  /** 1-based hunk of the file, where one is at fault. */
  readonly hunk?: number;
  readonly candidates?: readonly PatchCandidate[];
}

/** A place that the hunk may have meant. */
interface PatchCandidate {
  /** 1-based line of the file. */
  readonly line: number;
  /** The lines of the file there, cut. */
  readonly text: string;
  /** `-` what the diff expects, `+` what the file has; empty where they agree. */
  readonly diff: string;
}

/** Files that cannot be changed are looked for up to this many. */
export const maxFailures = 8;

/**
 * One error for all files that cannot be changed. It has the type and reason of the first failure that is
 * more than "already applied", and tells of the others in `failures`.
 *
 * @param failures at least one, in the order of the diff
 */
export function toPatchError(failures: readonly PatchFailure[]): ToolError {
  const main = failures.find(({ reason }) => reason !== 'already_applied') ?? failures[0];
  if (main === undefined) throw new TypeError('A patch error needs a failure.');
  const told = [main, ...failures.filter((failure) => failure !== main)];
  const message = `${main.message} No file was changed.`;
  const others = told.slice(1).map(({ path, message: text }) => `${path}: ${text}`);
  if (failures.length >= maxFailures) others.push('Files after these were not tried.');
  const output = [
    ...(main.candidates ?? []).map(showCandidate),
    ...(others.length > 0 ? [`Also:\n${others.join('\n')}`] : []),
  ];
  return new ToolError(main.type, message, {
    ...(main.reason === undefined ? {} : { reason: main.reason }),
    fields: {
      path: main.path,
      ...(main.hunk === undefined ? {} : { hunk: main.hunk }),
      diff_line: main.diffLine,
      ...(main.candidates === undefined ? {} : { candidates: main.candidates.map(toJson) }),
      failures: told.map(({ path, type, reason, hunk }) => ({
        path,
        type,
        ...(reason === undefined ? {} : { reason }),
        ...(hunk === undefined ? {} : { hunk }),
      })),
    },
    ...(output.length > 0 ? { output: output.join('\n\n') } : {}),
  });
}

/** Says which hunk of a file does not fit, and why. Null when all do. */
export function hunkFailure(
  path: string,
  file: {
    readonly source: SourceText;
    readonly hunks: readonly PreparedHunk[];
    readonly locations: readonly Location[];
  },
): PatchFailure | null {
  const { source, hunks, locations } = file;
  const wrong = locations.findIndex(({ kind }) => kind !== 'placed' && kind !== 'already_applied');
  const index = wrong === -1 ? locations.findIndex(({ kind }) => kind !== 'placed') : wrong;
  const location = locations[index];
  const prepared = hunks[index];
  if (location === undefined || prepared === undefined) return null;
  const { number, diffLine, start } = prepared.hunk;
  const base = { path, hunk: number, diffLine };
  const name = `Hunk ${number} of ${path} (line ${diffLine} of the diff)`;
  switch (location.kind) {
    case 'placed':
      return null;
    case 'already_applied': {
      const whole = locations.every(({ kind }) => kind === 'already_applied');
      return {
        ...base,
        type: 'version_conflict',
        reason: 'already_applied',
        message: whole
          ? `The changes to ${path} are in the file already (line ${location.at + 1}); read it before changing more.`
          : `${name} is in the file already, at line ${location.at + 1}, and other hunks are not; read the file and send only what is missing. To add the same lines once more, show more context around them.`,
      };
    }
    case 'ambiguous':
      return {
        ...base,
        type: 'invalid_argument',
        reason: 'ambiguous',
        message: `${name} fits at several places: lines ${location.places.map((at) => at + 1).join(', ')}. Show more context, or give the right line number.`,
        candidates: location.places.map((at) => ({
          line: at + 1,
          text: showLines(source, at, Math.max(1, prepared.old.keys.length)),
          diff: '',
        })),
      };
    case 'unplaced':
      return {
        ...base,
        type: 'invalid_argument',
        reason: 'ambiguous',
        message: `${name} only adds lines and does not say where. Show the lines around them, or name the line before them after "@@ ".`,
      };
    case 'anchor_missing':
      return {
        ...base,
        type: 'version_conflict',
        reason: 'context_mismatch',
        message: `${name}: no line of the file is or begins with "${location.anchor.slice(0, 160)}", which the hunk names after "@@". Read the file and name a line that is there.`,
      };
    case 'overlapping':
      return {
        ...base,
        type: 'invalid_argument',
        reason: 'overlapping_hunks',
        message: `${name} fits only at line ${location.at + 1}, where another hunk changes the same lines. Make one hunk of the two.`,
      };
    case 'mismatch': {
      const expected = start === null ? null : start - 1;
      const candidates = nearMisses(source, prepared, expected);
      return {
        ...base,
        type: 'version_conflict',
        reason: 'context_mismatch',
        message: `${name} does not fit: its context and removed lines are nowhere in the file as the diff has them. ${mismatchHint(prepared, source, candidates[0])}`,
        candidates,
      };
    }
  }
}

function mismatchHint(
  prepared: PreparedHunk,
  source: SourceText,
  best: { readonly line: number; readonly note: string } | undefined,
): string {
  const header = prepared.hunk.lines.find(
    ({ kind, text }) => kind === 'remove' && text.startsWith('-- '),
  );
  if (header !== undefined && prepared.hunk.lines.some(({ text }) => text.startsWith('++ '))) {
    return 'Lines that look like the header of the next file are inside this hunk by its counts: check the counts.';
  }
  if (best === undefined) {
    return `Nothing in its ${source.keys.length} lines resembles them. Read the file again and make the diff anew.`;
  }
  return `The closest place is line ${best.line} (${best.note}). Read the file again and copy these lines exactly.`;
}

function showCandidate({ line, text, diff }: PatchCandidate): string {
  return `Line ${line}:\n${diff === '' ? text : diff}`;
}

function toJson({ line, text, diff }: PatchCandidate): JsonObject {
  return { line, text, diff };
}

import { credentialDenied, isCredentialPath, type ToolOutput } from '@toolwright/core';
import { showName } from '../../display/show-name.ts';
import { checkRevision, pathOfRevision } from '../check-revision.ts';
import { DEFAULT_WINDOW_BYTES, pathsOf, type GitInput } from '../git-input.ts';
import { assertKnownPaths } from '../known-paths.ts';
import { locateRepository, toWorkspacePath } from '../locate.ts';
import { splitNul } from '../parse-records.ts';
import { toContentPathspecs, toRepositoryPaths } from '../pathspecs.ts';
import { resolveRevision, revisionFailed, runGit, streamGit, type GitContext } from '../run-git.ts';
import { parseWindowCursor, WindowTaker, type TextWindow } from '../text-window.ts';

/** Files that the summary of a long diff names. */
const maxSummaryFiles = 50;

/** Bytes of the line that says how to go on, at most. */
const footerBytes = 192;

/** One way of writing diffs, whatever the user has configured. */
const plainDiff = [
  '--no-color',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--unified=3',
  '--find-renames',
  '--submodule=short',
];

/** `git diff`: the working tree, what is staged, or two revisions; without credential files. */
export async function gitDiff(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const paths = await toRepositoryPaths(pathsOf(input), context.workspace);
  const from = input.base === undefined ? 'ref' : 'base';
  const revisions = ([from, 'target'] as const).flatMap((field) => {
    const revision = input[field];
    return revision === undefined ? [] : [checkRevision(revision, field)];
  });
  const what = [
    ...(input.staged === true ? ['--cached'] : []),
    '--end-of-options',
    ...revisions,
    '--',
    ...toContentPathspecs(paths),
  ];
  return windowed(input, context, {
    args: ['diff', ...plainDiff, ...what],
    summary: what,
    revisions,
    paths,
  });
}

/** `git show`: a commit with its diff, or a file as it was (`HEAD:path`); without credential files. */
export async function gitShow(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const revision = checkRevision(input.ref ?? 'HEAD', 'ref');
  const path = pathOfRevision(revision);
  if (path !== null) {
    await assertShowable(path, context);
    const object = await resolveRevision(context, revision, 'any');
    return windowed(input, context, { args: ['cat-file', '-p', object] });
  }
  // A blob by its hash could be any file, so only commits are shown.
  const commit = await resolveRevision(context, revision);
  const paths = await toRepositoryPaths(pathsOf(input), context.workspace);
  const specs = toContentPathspecs(paths);
  const format = ['--format=medium', '--no-show-signature', '--no-notes', '--date=iso-strict'];
  return windowed(input, context, {
    args: ['show', ...format, ...plainDiff, '--end-of-options', commit, '--', ...specs],
    summary: ['--end-of-options', `${commit}^!`, '--', ...specs],
  });
}

async function assertShowable(path: string, context: GitContext): Promise<void> {
  const place = await locateRepository(context);
  // `HEAD:./a` is relative to the directory, `HEAD:a` to the top level.
  const inside = /^\.\.?\//.test(path) ? path : toWorkspacePath(path, place);
  const [relative = ''] = await toRepositoryPaths([inside], context.workspace);
  if (isCredentialPath(relative)) throw credentialDenied(relative);
}

async function windowed(
  input: GitInput,
  context: GitContext,
  command: {
    readonly args: readonly string[];
    readonly summary?: readonly string[];
    /** Named by the caller, and not resolved yet. */
    readonly revisions?: readonly string[];
    /** Must be known where nothing is shown. */
    readonly paths?: readonly string[];
  },
): Promise<ToolOutput> {
  const from =
    input.cursor === undefined
      ? { offset: input.byte_offset ?? 0 }
      : parseWindowCursor(input.cursor);
  const maxBytes = Math.min(
    input.max_bytes ?? DEFAULT_WINDOW_BYTES,
    context.limits.maxOutputBytes - 4_096,
  );
  const taker = new WindowTaker({ ...from, maxBytes });
  const request = { args: command.args, access: 'read', signal: context.signal } as const;
  const outcome = await streamGit(context.workspace.git, request, (bytes) => taker.push(bytes));
  const { revisions = [], paths = [] } = command;
  if (outcome.exitCode !== 0) throw await revisionFailed(context, revisions, outcome.stderr);
  const isSummarised = taker.isLong && from.offset === 0 && command.summary !== undefined;
  const summary = isSummarised
    ? await summarise(context, command.summary ?? [], Math.floor(maxBytes / 4))
    : '';
  // What is told of the window counts too, except that half of the bytes are always the window's.
  const told = taker.isLong ? footerBytes + Buffer.byteLength(summary) : 0;
  const window = taker.finish(Math.max(maxBytes - told, Math.ceil(maxBytes / 2)));
  if (window.totalBytes === 0) await assertKnownPaths(context, paths, revisions);
  return {
    output: window.totalBytes === 0 ? 'no changes\n' : `${summary}${window.text}${footer(window)}`,
    metadata: { range: window.range },
  };
}

function footer({ nextOffset, totalBytes, range, text }: TextWindow): string {
  if (nextOffset === null) return '';
  const newline = text.endsWith('\n') ? '' : '\n';
  return `${newline}[${nextOffset} of ${totalBytes} bytes so far; go on with cursor ${JSON.stringify(range['next_cursor'])}, or narrow it by paths]\n`;
}

/** The files of a diff that does not fit, smallest change first: a generated one must not hide the others. */
async function summarise(
  context: GitContext,
  what: readonly string[],
  maxBytes: number,
): Promise<string> {
  const output = await runGit(context.workspace.git, {
    args: ['diff', '--numstat', '-z', '--no-renames', ...what],
    access: 'read',
    signal: context.signal,
  });
  const files = splitNul(output).map((record) => {
    const [added = '', removed = '', ...path] = record.split('\t');
    return { added, removed, path: path.join('\t') };
  });
  const size = ({ added, removed }: { added: string; removed: string }): number =>
    Number(added) + Number(removed) || 0;
  const sorted = files.toSorted((a, b) => size(a) - size(b));
  const head = `[${files.length} files change; the smallest first, narrow by paths to see one whole]\n`;
  const lines: string[] = [];
  let room = maxBytes - head.length - 32;
  for (const { added, removed, path } of sorted.slice(0, maxSummaryFiles)) {
    const line = `  +${added} -${removed} ${showName(path)}\n`;
    room -= Buffer.byteLength(line);
    if (room < 0) break;
    lines.push(line);
  }
  const rest = files.length - lines.length;
  return `${head}${lines.join('')}${rest > 0 ? `  and ${rest} more\n` : ''}`;
}

import {
  ToolError,
  type GitRequest,
  type ProcessHandle,
  type ToolContext,
  type WorkspaceGit,
} from '@toolwright/core';

/** The context of a call of the `git` tool. */
export type GitContext = ToolContext<'git'>;

/** Bytes of a listing that are taken, at most. */
const maxListingBytes = 32 * 1024 * 1024;

/** Bytes of git's messages that are shown. */
const maxMessageBytes = 4_096;

/** A finished git command. */
export interface GitOutcome {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Takes standard output piece by piece; a piece is good until it returns. */
export type GitSink = (bytes: Uint8Array) => void;

/**
 * Runs git and gives its output to a sink. Errors: those of the workspace, and for a failed command a typed
 * one: `permission_denied` (`dubious_ownership`), else what `failures` or the general case says.
 */
export async function streamGit(
  git: WorkspaceGit,
  request: GitRequest,
  sink: GitSink,
): Promise<Omit<GitOutcome, 'stdout'>> {
  const handle = await git.run(request);
  let stderr = '';
  try {
    const decoder = new TextDecoder();
    for await (const { stream, bytes } of handle.output) {
      if (stream === 'stdout') sink(bytes);
      else if (stderr.length < maxMessageBytes) stderr += decoder.decode(bytes, { stream: true });
    }
    const { exitCode } = await handle.exit;
    const said = stderr.slice(0, maxMessageBytes).trim();
    if (request.signal?.aborted === true) throw new ToolError('cancelled', 'git was cancelled.');
    if (exitCode === 128 && /dubious ownership|unsafe repository/.test(said)) {
      throw new ToolError(
        'permission_denied',
        'The repository belongs to another user; a person can admit it with git config --global --add safe.directory.',
        { reason: 'dubious_ownership' },
      );
    }
    if (exitCode === 128 && /^fatal: not a git repository/m.test(said)) {
      throw new ToolError(
        'not_found',
        'What stands in place of the repository is none that git can read; make one with git init.',
        { reason: 'not_a_repository', detail: said },
      );
    }
    return { exitCode, stderr: said };
  } finally {
    await release(handle);
  }
}

/** Runs git and collects its output, whatever its exit code is. Errors: as {@link streamGit}. */
export async function tryGit(git: WorkspaceGit, request: GitRequest): Promise<GitOutcome> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const outcome = await streamGit(git, request, (chunk) => {
    bytes += chunk.length;
    if (bytes > maxListingBytes) {
      throw new ToolError('limit_exceeded', 'git lists more than 32 MiB; narrow it by paths.', {
        reason: 'listing_too_long',
      });
    }
    chunks.push(new Uint8Array(chunk));
  });
  return { ...outcome, stdout: Buffer.concat(chunks) };
}

/** Runs git, which must succeed; its output. Errors: as {@link streamGit}, and `invalid_argument` (`git_failed`). */
export async function runGit(git: WorkspaceGit, request: GitRequest): Promise<Buffer> {
  const outcome = await tryGit(git, request);
  assertSuccess(outcome);
  return outcome.stdout;
}

/** Errors: `invalid_argument` (`git_failed`) with what git said. */
function assertSuccess(outcome: Omit<GitOutcome, 'stdout'>): void {
  if (outcome.exitCode === 0) return;
  throw gitFailed(outcome.stderr);
}

/** The general failure of a git command. */
export function gitFailed(stderr: string): ToolError {
  const first = stderr.split('\n')[0] ?? '';
  return new ToolError('invalid_argument', `git refused: ${first || 'it gave no reason'}`, {
    reason: 'git_failed',
    detail: stderr,
  });
}

/** The failure of a command that was given revisions: `not_found` for one that names nothing, else the general one. */
export async function revisionFailed(
  context: GitContext,
  revisions: readonly string[],
  stderr: string,
): Promise<ToolError> {
  for (const end of revisions.flatMap((revision) => revision.split(/\.{2,3}/))) {
    const name = end.replace(/^\^/, '');
    if (name !== '' && (await findRevision(context, name)) === null) {
      return unknownRevision(name, 'commit');
    }
  }
  return gitFailed(stderr);
}

/**
 * The object that a revision names, as 40 or 64 hex digits. `revision` must have been checked. Errors:
 * `not_found` (`unknown_revision`).
 */
export async function resolveRevision(
  context: GitContext,
  revision: string,
  type: 'commit' | 'any' = 'commit',
): Promise<string> {
  const object = await findRevision(context, type === 'commit' ? `${revision}^{commit}` : revision);
  if (object !== null) return object;
  throw unknownRevision(revision, type === 'commit' ? 'commit' : 'object');
}

function unknownRevision(revision: string, what: 'commit' | 'object'): ToolError {
  return new ToolError(
    'not_found',
    `There is no ${what} ${JSON.stringify(revision)}; list branches or the log to see what there is.`,
    { reason: 'unknown_revision' },
  );
}

/** The object that a revision names, or null. */
export async function findRevision(context: GitContext, revision: string): Promise<string | null> {
  const { exitCode, stdout } = await tryGit(context.workspace.git, {
    args: ['rev-parse', '--verify', '--quiet', '--end-of-options', revision],
    access: 'read',
    signal: context.signal,
  });
  // Before 2.30 rev-parse repeats the option that it does not know.
  const object = stdout.toString('latin1').trim().split('\n').at(-1) ?? '';
  return exitCode === 0 && /^[0-9a-f]{40,64}$/.test(object) ? object : null;
}

/** The refusal to make what is there. */
export function alreadyExists(what: string): ToolError {
  return new ToolError('invalid_argument', `${what} is there already; choose another name.`, {
    reason: 'already_exists',
  });
}

async function release(handle: ProcessHandle): Promise<void> {
  await handle.close();
}

import {
  cursorOfOffset,
  offsetOfCursor,
  ToolError,
  type Page,
  type ToolOutput,
} from '@toolwright/core';
import { showName } from '../../display/show-name.ts';
import { checkRevision } from '../check-revision.ts';
import { pathsOf, type GitInput } from '../git-input.ts';
import { footerOf, pageLimits } from '../page-of.ts';
import { parseBlame } from '../parse-blame.ts';
import { toRepositoryPaths } from '../pathspecs.ts';
import { findRevision, gitFailed, resolveRevision, tryGit, type GitContext } from '../run-git.ts';
import { takeWithin } from '../take-within.ts';

/** Lines of a page when nothing is said. */
const defaultLines = 200;

/** `git blame`: who changed each line last, in pages of lines. */
export async function gitBlame(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const [path, ...more] = await toRepositoryPaths(pathsOf(input), context.workspace);
  if (path === undefined || more.length > 0) {
    throw new ToolError('invalid_argument', 'blame needs exactly one path.', {
      reason: 'no_paths',
    });
  }
  const ref = input.ref === undefined ? undefined : checkRevision(input.ref, 'ref');
  const revision = ref === undefined ? [] : [await resolveRevision(context, ref)];
  const limit = input.limit ?? defaultLines;
  const query = JSON.stringify(['blame', path, revision]);
  const offset = offsetOfCursor(input.cursor, query);
  const { exitCode, stderr, stdout } = await tryGit(context.workspace.git, {
    // One line more tells whether the page is the last.
    args: ['blame', '--porcelain', '-L', `${offset + 1},+${limit + 1}`, ...revision, '--', path],
    access: 'read',
    signal: context.signal,
  });
  const isPastEnd = exitCode !== 0 && /has only \d+ lines?/.test(stderr);
  if (exitCode !== 0 && !isPastEnd) {
    throw await blameFailed(context, { path, revision: revision[0] ?? 'HEAD', stderr });
  }
  if (isPastEnd && offset > 0) {
    throw new ToolError(
      'version_conflict',
      'The file has become shorter than the cursor tells; begin again without it.',
      { reason: 'changed_since_cursor', fields: { path } },
    );
  }
  const lines = parseBlame(stdout.toString('utf8'));
  const { items } = takeWithin(lines.slice(0, limit));
  const truncated = lines.length > items.length;
  const next = offset + items.length;
  const page: Page = {
    ...pageLimits(context, limit),
    offset,
    returned_items: items.length,
    total_items: truncated ? null : next,
    next_cursor: truncated ? cursorOfOffset(next, query) : null,
    truncated,
  };
  const rows = items.map(
    ({ line, commit, author, date, text }) =>
      `${String(line).padStart(6)}\t${commit.slice(0, 10)} ${date} ${showName(author)}\t${text}\n`,
  );
  return {
    output: rows.length === 0 && offset === 0 ? 'no lines\n' : rows.join('') + footerOf(page),
    metadata: { page: { ...page }, entries: items.map((entry) => ({ ...entry })) },
  };
}

/** `not_found` for a revision or a path that is not there, else the general failure. */
async function blameFailed(
  context: GitContext,
  failed: { readonly path: string; readonly revision: string; readonly stderr: string },
): Promise<ToolError> {
  const { path, revision, stderr } = failed;
  await resolveRevision(context, revision);
  const object = await findRevision(context, `${revision}:./${path}`);
  if (object !== null) return gitFailed(stderr);
  return new ToolError(
    'not_found',
    `${JSON.stringify(path)} is in no commit that blame looks at; name a committed file, or another ref.`,
    { fields: { path } },
  );
}

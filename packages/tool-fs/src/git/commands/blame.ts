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
import { resolveRevision, runGit, type GitContext } from '../run-git.ts';
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
  const output = await runGit(context.workspace.git, {
    // One line more tells whether the page is the last.
    args: ['blame', '--porcelain', '-L', `${offset + 1},+${limit + 1}`, ...revision, '--', path],
    access: 'read',
    signal: context.signal,
  });
  const lines = parseBlame(output.toString('utf8'));
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
    output: rows.join('') + footerOf(page),
    metadata: { page: { ...page }, entries: items.map((entry) => ({ ...entry })) },
  };
}

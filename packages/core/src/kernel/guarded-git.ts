import type { GitRequest, WorkspaceGit } from '../workspace/git.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { gitAuthority } from './git-authority.ts';
import { guardedProcess } from './guarded-process.ts';
import { callSignal, type ViewGuard } from './view-guard.ts';

/** Git for one call: what a command can do by its own arguments must have been declared, whatever the tool says of it. */
export function guardedGit(
  git: WorkspaceGit,
  workspace: Workspace,
  guard: ViewGuard,
): WorkspaceGit {
  return {
    locate: async (cwd) => {
      guard.assertAlive();
      return git.locate(cwd);
    },
    run: async (given) => {
      guard.assertAlive();
      // A copy: what was judged is what runs, whatever becomes of the tool's own object.
      const request = { ...given, args: [...given.args] };
      await assertDeclared(request, workspace, guard);
      const { signal, ...rest } = request;
      const handle = await git.run({ ...rest, signal: callSignal(signal, guard) });
      return guardedProcess(handle, guard);
    },
  };
}

async function assertDeclared(
  { args, access, cwd = '' }: GitRequest,
  workspace: Workspace,
  { grants }: ViewGuard,
): Promise<void> {
  const directory = cwd === '' ? '' : await workspace.resolvePath(cwd);
  const authority = gitAuthority(args);
  if (authority === 'read' && access === 'read') {
    grants.assertRead(directory);
    return;
  }
  grants.assertGit(authority === 'read' ? 'repository' : authority, directory, args);
}

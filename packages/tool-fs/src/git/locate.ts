import { ToolError, type RepositoryPlace } from '@toolwright/core';
import type { GitContext } from './run-git.ts';

/** Where the workspace stands in its repository. Errors: `not_found` (`not_a_repository`). */
export async function locateRepository(context: GitContext): Promise<RepositoryPlace> {
  const place = await context.workspace.git.locate();
  if (place !== null) return place;
  throw new ToolError(
    'not_found',
    'The workspace is in no git repository; make one with git init.',
    {
      reason: 'not_a_repository',
    },
  );
}

/** A path of the repository as a workspace path; what lies above the root keeps a `../`. */
export function toWorkspacePath(path: string, place: RepositoryPlace): string {
  if (place.prefix === '' || !path.startsWith(place.prefix)) {
    return place.prefix === ''
      ? path
      : `${'../'.repeat(place.prefix.split('/').length - 1)}${path}`;
  }
  return path.slice(place.prefix.length);
}

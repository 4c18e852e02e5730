import { fstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import type { LocalPaths } from './local-paths.ts';

/**
 * The real workspace path of an opened descriptor. On Linux the kernel itself says it, whatever happened to
 * the path meanwhile; elsewhere the path is resolved once more and must still be the opened object, which
 * leaves the moment between the two looks. Errors: `outside_workspace`.
 */
export function openedPath(
  paths: LocalPaths,
  descriptor: number,
  opened: { readonly absolute: string; readonly shown: string },
): string {
  if (process.platform === 'linux') {
    const link = readlinkSync(`/proc/self/fd/${descriptor}`);
    return paths.toWorkspacePath(link.replace(/ \(deleted\)$/, ''), opened.shown);
  }
  const real = realpathSync.native(opened.absolute);
  const path = paths.toWorkspacePath(real, opened.shown);
  const now = statSync(real, { bigint: true });
  const then = fstatSync(descriptor, { bigint: true });
  if (now.dev !== then.dev || now.ino !== then.ino) {
    throw new Error(`${JSON.stringify(opened.shown)} was exchanged while it was opened`);
  }
  return path;
}

/** Where a command may be running: some directories relative to the start, or anywhere (null). */
export type DirectorySet = ReadonlySet<string> | null;

const maxDirectories = 8;

/** The start itself. */
export const startDirectory: DirectorySet = new Set(['']);

/** Either of two. */
export function eitherDirectory(a: DirectorySet, b: DirectorySet): DirectorySet {
  if (a === null || b === null) return null;
  const union = new Set([...a, ...b]);
  return union.size > maxDirectories ? null : union;
}

/** After `cd path` from each of them; an absolute path forgets them. */
export function enterDirectory(from: DirectorySet, path: string): DirectorySet {
  if (path.startsWith('/')) return new Set([normalise(path)]);
  if (from === null) return null;
  return new Set([...from].map((directory) => joinPath(directory, path)));
}

/** The paths that `path` can name, seen from each of them; null when that cannot be told. */
export function pathsFrom(from: DirectorySet, path: string): readonly string[] | null {
  if (path.startsWith('/')) return [normalise(path)];
  return from === null ? null : [...from].map((directory) => joinPath(directory, path));
}

export function joinPath(directory: string, path: string): string {
  return normalise(directory === '' ? path : `${directory}/${path}`);
}

// `..` is kept: after a link it does not lead where the text says, so the workspace resolves it.
function normalise(path: string): string {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return (path.startsWith('/') ? '/' : '') + names.join('/');
}

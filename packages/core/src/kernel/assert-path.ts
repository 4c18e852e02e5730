/** Throws a `TypeError` for a path that is no text: an object could be one path when checked and another when used. */
export function assertPath(path: unknown): void {
  if (typeof path !== 'string') throw new TypeError('A path is a text.');
}

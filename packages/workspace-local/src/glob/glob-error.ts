/** A glob that this dialect does not have. The message says what to write instead. */
export class GlobError extends Error {
  override readonly name = 'GlobError';
}

/** Causes nested deeper than this are left out. */
const MAX_CAUSES = 16;

/**
 * Hides secrets in what an error says: name, message, stack, causes and the errors of an `AggregateError`.
 * Returns the error itself where there is nothing to hide, else a plain `Error` that says the rest. Thrown strings are
 * hidden too; other thrown values pass unchanged.
 */
export function hideInError(thrown: unknown, hide: (text: string) => string, depth = 0): unknown {
  if (typeof thrown === 'string') return hide(thrown);
  if (!(thrown instanceof Error)) return thrown;
  if (depth === MAX_CAUSES) return undefined;
  const inner = (value: unknown) => hideInError(value, hide, depth + 1);
  const message = hide(thrown.message);
  const name = hide(thrown.name);
  const stack = thrown.stack === undefined ? undefined : hide(thrown.stack);
  const cause = inner(thrown.cause);
  const given: readonly unknown[] | undefined =
    thrown instanceof AggregateError ? thrown.errors : undefined;
  const errors = given?.map(inner);
  const isClean =
    message === thrown.message &&
    name === thrown.name &&
    stack === thrown.stack &&
    cause === thrown.cause &&
    (errors?.every((error, index) => error === given?.[index]) ?? true);
  if (isClean) return thrown;
  const options = cause === undefined ? {} : { cause };
  const clean =
    errors === undefined
      ? new Error(message, options)
      : new AggregateError(errors, message, options);
  Object.defineProperties(clean, {
    name: { value: name, configurable: true, writable: true },
    stack: { value: stack, configurable: true, writable: true },
  });
  return clean;
}

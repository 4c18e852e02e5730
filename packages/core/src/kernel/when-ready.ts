/** What is there at once, or comes. */
export type Ready<T> = T | Promise<T>;

/**
 * Whether an answer has still to come. Not by `instanceof`: where an application has put another `Promise` in place of the
 * platform's, what `async` functions return is none of it.
 */
export function isPending<T>(answer: Ready<T>): answer is Promise<T> {
  if (typeof answer !== 'object' || answer === null) return false;
  // Reading a key that is not there costs V8 less than asking for it with `in`.
  const { then }: { readonly then?: unknown } = answer;
  return then !== undefined;
}

/**
 * What `use` makes of an answer: at once when the answer is there, else when it comes. The stages of a call go on like this
 * because an `async` function that has nothing to wait for costs its frame, a promise and a turn of the queue all the same.
 */
export function whenReady<T, U>(answer: Ready<T>, use: (value: T) => Ready<U>): Ready<U> {
  return isPending(answer) ? answer.then((value) => use(value)) : use(answer);
}

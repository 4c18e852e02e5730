/** What is there at once, or comes. */
export type Ready<T> = T | Promise<T>;

/**
 * What `use` makes of an answer: at once when the answer is there, else when it comes. The stages of a call go on like this
 * because an `async` function that has nothing to wait for costs its frame, a promise and a turn of the queue all the same.
 */
export function whenReady<T, U>(answer: Ready<T>, use: (value: T) => Ready<U>): Ready<U> {
  return answer instanceof Promise ? answer.then((value) => use(value)) : use(answer);
}

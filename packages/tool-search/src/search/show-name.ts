/** Characters that break a line, hide or reorder text: controls, line separators and bidirectional marks. */
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Surrogate}]/gu;

/**
 * A path for a line of text: as it is, or, when it would break the line or begins with a quote, as a JSON string
 * with those characters escaped. So no two paths look alike.
 */
export function showName(path: string): string {
  if (!path.startsWith('"') && path.search(unsafe) < 0) return path;
  return JSON.stringify(path).replaceAll(
    unsafe,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

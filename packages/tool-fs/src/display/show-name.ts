/** Characters that break a line, hide or reorder text: controls, line separators and bidirectional marks. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Surrogate}]/gu;

/**
 * A path or name for a line of text: as it is, or, when it has characters that would break the line or begins with a
 * quote, as a JSON string with those characters escaped. So no two names look alike by escaping.
 */
export function showName(name: string): string {
  if (!name.startsWith('"') && name.search(UNSAFE) < 0) return name;
  return JSON.stringify(name).replaceAll(
    UNSAFE,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

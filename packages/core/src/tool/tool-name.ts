/** What a tool's name must match. */
export const toolNamePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Throws a `TypeError` for a name that providers and models would not take. */
export function assertToolName(name: string): void {
  if (!toolNamePattern.test(name)) {
    throw new TypeError(
      `Tool name ${JSON.stringify(name)} must be 1–64 characters: a letter, then letters, digits, _ or -.`,
    );
  }
}

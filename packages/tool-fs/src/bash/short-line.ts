/** Characters of a command line that are told; what a command is shows at its beginning. */
const maxLineCharacters = 400;

/** A command line for a result: cut when long, never inside a character. */
export function shortLine(line: string): string {
  if (line.length <= maxLineCharacters) return line;
  const code = line.charCodeAt(maxLineCharacters - 1);
  const isHigh = code >= 0xd800 && code < 0xdc00;
  return `${line.slice(0, isHigh ? maxLineCharacters - 1 : maxLineCharacters)}…`;
}

/**
 * The lines of a diff without their LFs. Where every line ends in CRLF, that is how the text travelled and
 * says nothing of the files: the CRs are dropped. Otherwise a CR belongs to its line.
 */
export function diffLines(diff: string): readonly string[] {
  const lines = (diff.startsWith('\uFEFF') ? diff.slice(1) : diff).split('\n');
  const unfinished = lines.pop() ?? '';
  if (lines.length > 0 && lines.every((line) => line.endsWith('\r'))) {
    for (let index = 0; index < lines.length; index += 1) lines[index] = trimCr(lines[index] ?? '');
  }
  if (unfinished !== '') lines.push(unfinished);
  return lines;
}

/** The line without one trailing CR. */
export function trimCr(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

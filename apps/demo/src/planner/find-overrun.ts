/** A loop header that lets its index reach the length. */
export interface Overrun {
  /** 1-based. */
  readonly number: number;
  /** The line as it stands in the file. */
  readonly line: string;
  readonly mended: string;
}

/** Looks through numbered lines (as `read` prints them) for a loop that runs one past the end of a list. */
export function findOverrun(numbered: string): Overrun | undefined {
  for (const row of numbered.split('\n')) {
    const match = /^ *(\d+)\t(.*)$/.exec(row);
    const line = match?.[2];
    if (line === undefined || !/\bfor\s*\(.*<=\s*[\w.]+\.length\s*;/.test(line)) continue;
    return {
      number: Number(match?.[1]),
      line,
      mended: line.replace(/<=(\s*[\w.]+\.length\s*;)/, '<$1'),
    };
  }
  return undefined;
}

/** Who changed a line last. */
export interface BlameLine {
  readonly line: number;
  /** All zeros for a line that is not committed. */
  readonly commit: string;
  readonly author: string;
  /** `YYYY-MM-DD` in the author's own time zone. */
  readonly date: string;
  readonly text: string;
}

/** Parses `git blame --porcelain`: facts of a commit stand at its first line only. */
export function parseBlame(output: string): readonly BlameLine[] {
  const authors = new Map<string, string>();
  const times = new Map<string, { readonly seconds: number; readonly zone: string }>();
  const found: BlameLine[] = [];
  let commit = '';
  let line = 0;
  let seconds = 0;
  // A line's text begins with a tab, so that no text is taken for a fact.
  for (const row of output.split('\n')) {
    const head = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(row);
    if (row.startsWith('\t')) {
      const { seconds: at = 0, zone = '+0000' } = times.get(commit) ?? {};
      found.push({
        line,
        commit,
        author: authors.get(commit) ?? '',
        date: dateOf(at, zone),
        text: row.slice(1),
      });
    } else if (head !== null) {
      commit = head[1] ?? '';
      line = Number(head[2]);
    } else if (row.startsWith('author ')) authors.set(commit, row.slice('author '.length));
    else if (row.startsWith('author-time ')) seconds = Number(row.slice('author-time '.length));
    else if (row.startsWith('author-tz ')) {
      times.set(commit, { seconds, zone: row.slice('author-tz '.length) });
    }
  }
  return found;
}

function dateOf(seconds: number, zone: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -60 : 60);
  return new Date((seconds + offset) * 1000).toISOString().slice(0, 10);
}

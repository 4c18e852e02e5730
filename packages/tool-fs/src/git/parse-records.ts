/** Splits NUL-separated output into its fields; the NUL at the end begins none. */
export function splitNul(output: Buffer): readonly string[] {
  const text = output.toString('utf8');
  if (text === '') return [];
  return (text.endsWith('\0') ? text.slice(0, -1) : text).split('\0');
}

/** Groups fields into records of `size`; an unfinished one is left out. */
export function groupFields(fields: readonly string[], size: number): readonly string[][] {
  const records: string[][] = [];
  for (let at = 0; at + size <= fields.length; at += size)
    records.push(fields.slice(at, at + size));
  return records;
}

/** A unified diff that undoes another one. */
export function invertDiff(diff: string): string {
  return diff
    .split('\n')
    .map((line) => {
      if (/^(diff|index) /.test(line)) return null;
      if (line.startsWith('--- a/')) return `+++ b/${line.slice(6)}`;
      if (line.startsWith('+++ b/')) return `--- a/${line.slice(6)}`;
      if (line.startsWith('-')) return `+${line.slice(1)}`;
      return line.startsWith('+') ? `-${line.slice(1)}` : line;
    })
    .filter((line) => line !== null)
    .join('\n')
    .replace(/^(\+\+\+ .*)\n(--- .*)$/gm, '$2\n$1');
}

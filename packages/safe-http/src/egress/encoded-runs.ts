/** Forms of encoded data: hexadecimal, base64url, base64; 40 characters in a row or more. A path's slashes are no base64. */
const RUNS: readonly { readonly pattern: RegExp; readonly encoding: 'hex' | 'base64' }[] = [
  { pattern: /[\da-f]{40,}/giu, encoding: 'hex' },
  { pattern: /[A-Za-z0-9_-]{40,}/gu, encoding: 'base64' },
  { pattern: /[A-Za-z0-9+/]{40,}/gu, encoding: 'base64' },
];
/** Decoded bytes looked at, of one run. */
const MAX_DECODED = 65_536;
/** Runs looked at, of one text. */
const MAX_RUNS = 64;

/**
 * Finds long encoded data in a text and decodes it, at any alignment. Returns what it says, where it says text at all, together with
 * the runs themselves.
 */
export function decodeRuns(text: string): readonly string[] {
  const found = new Set<string>();
  for (const { pattern, encoding } of RUNS) {
    for (const [run] of [...text.matchAll(pattern)].slice(0, MAX_RUNS)) {
      found.add(run);
      for (let shift = 0; shift < (encoding === 'hex' ? 2 : 4); shift += 1) {
        const said = Buffer.from(run.slice(shift, shift + 2 * MAX_DECODED), encoding).toString(
          'utf8',
        );
        if (isReadable(said)) {
          found.add(said);
        }
      }
    }
  }
  return [...found];
}

function isReadable(text: string): boolean {
  const odd =
    text.match(/[\p{Cc}\uFFFD]/gu)?.filter((character) => !/\s/u.test(character)).length ?? 0;
  return text.length > 0 && odd * 10 < text.length;
}

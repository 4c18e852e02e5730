/**
 * A light stem of an English word in lower case: plurals, `-ing` and `-ed` go, and a final `e`, so that `creates`,
 * `creating` and `create` are one. Other words stay as they are.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return withoutFinalE(withoutEnding(withoutPlural(word)));
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|zz)es$/.test(word)) return word.slice(0, -2);
  return /[^suia]s$/.test(word) || /[aeiou][bcdfglmnprtvwy]as$/.test(word)
    ? word.slice(0, -1)
    : word;
}

function withoutEnding(word: string): string {
  const base = /^(.*[aeiouy].*)(?:ing|ed)$/.exec(word)?.[1];
  if (base === undefined || base.length < 3) return word;
  if (base.endsWith('e') && word.endsWith('ed')) return word;
  // running → run, but calling → call.
  return /([bdgmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}

function withoutFinalE(word: string): string {
  return word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word;
}

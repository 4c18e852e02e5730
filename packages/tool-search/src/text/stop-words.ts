/** Words of questions that say nothing about what is looked for. */
const stopWords: ReadonlySet<string> = new Set(
  (
    'a an and any are as at be been but by can could do does for from had has have how i if in into is it its ' +
    'me my of on or our out should so some such than that the their them then there these they this to us use used ' +
    'using want was we were what when where which while who why will with would you your please'
  ).split(' '),
);

/** Whether a lower-cased word is one of them. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

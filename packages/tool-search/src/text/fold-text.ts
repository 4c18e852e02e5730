/**
 * A text in the form in which spellings compare: compatibility forms are resolved (full width, ligatures), invisible
 * characters are gone, accents are taken off Latin, Greek and Cyrillic letters. Case stays: it tells where words
 * begin in names.
 */
export function foldText(text: string): string {
  if (/^[\u0020-\u007e\n\t]*$/.test(text)) return text;
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .normalize('NFD')
    .replaceAll(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{Mn}+/gu, '')
    .normalize('NFC');
}

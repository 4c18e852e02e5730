import type { Codec } from './codec.ts';
import { loadCodec } from './codec.ts';
import { toEncoding } from './encodings.ts';
import type { Encoding } from './encodings.ts';

/** A statistical guess and the detector's confidence in it, between 0 and 1. */
export interface LegacyGuess {
  readonly encoding: Encoding;
  readonly confidence: number;
}

/** Names of the detector and what they are called here. */
const CANDIDATES: Readonly<Record<string, Encoding>> = {
  gb18030: 'gb18030',
  big5: 'big5',
  cp932: 'shift_jis',
  'euc-jp': 'euc-jp',
  cp949: 'euc-kr',
  'koi8-r': 'koi8-r',
  'koi8-u': 'koi8-u',
  'windows-1250': 'windows-1250',
  'windows-1251': 'windows-1251',
  'windows-1252': 'windows-1252',
  'windows-1253': 'windows-1253',
  'windows-1254': 'windows-1254',
  'windows-1255': 'windows-1255',
  'windows-1256': 'windows-1256',
  'windows-1257': 'windows-1257',
  'windows-1258': 'windows-1258',
  cp874: 'windows-874',
  ibm866: 'ibm866',
  'iso-8859-2': 'iso-8859-2',
  'iso-8859-5': 'iso-8859-5',
  'iso-8859-7': 'iso-8859-7',
};

/** How much likelier Western European text is than its neighbours score, in short samples. */
const WESTERN_PRIOR = 1.5;

/** Below this the detector has seen nothing that looks like a language: stray bytes, not text. */
const MIN_CONFIDENCE = 0.015;

/**
 * Guesses the legacy encoding of text that is no UTF-8, or `undefined` if no encoding explains every byte.
 *
 * The statistics are jschardet's (a port of chardet 7); its candidates are held against what a table cannot know: the
 * sample must decode without a hole, and a word mixes neither ASCII letters with letters of another script nor letters
 * with symbols.
 */
export async function guessLegacyEncoding(sample: Uint8Array): Promise<LegacyGuess | undefined> {
  const { detectAll } = await import('jschardet');
  const guesses: LegacyGuess[] = [];
  const ranked = detectAll(sample, {
    minimumThreshold: 0,
    detectEncodings: Object.keys(CANDIDATES),
  });
  for (const { encoding: name, confidence } of ranked) {
    const encoding = name === null ? undefined : knownAs(name);
    if (confidence < MIN_CONFIDENCE) continue;
    if (encoding === undefined || guesses.some((guess) => guess.encoding === encoding)) continue;
    if (!explains(await loadCodec(encoding), sample)) continue;
    const prior = encoding === 'windows-1252' ? WESTERN_PRIOR : 1;
    guesses.push({ encoding, confidence: Math.min(1, confidence * prior) });
  }
  return guesses.toSorted((a, b) => b.confidence - a.confidence)[0];
}

function knownAs(name: string): Encoding | undefined {
  const lower = name.toLowerCase();
  return CANDIDATES[lower] ?? toEncoding(lower);
}

/** Holes, C1 controls, private-use characters: no text has them by intent. */
const IMPLAUSIBLE = /[\u0080-\u009f\ue000-\uf8ff]/u;
/** An ASCII letter directly beside a letter of a script that is not Latin, where that script joins letters to words. */
const MIXED_WORD =
  /[A-Za-z][\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}]|[\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}][A-Za-z]/u;
/** A currency sign, box or the like between two letters beyond ASCII. */
const SYMBOL_IN_WORD = /(?![A-Za-z])\p{L}(?:(?![!-~])\p{S})+(?![A-Za-z])\p{L}/u;

function explains(codec: Codec, sample: Uint8Array): boolean {
  // The sample may end inside a character.
  const text = codec.decode(sample).replace(/\ufffd{1,2}$/u, '');
  return (
    !text.includes('\ufffd') &&
    !IMPLAUSIBLE.test(text) &&
    !MIXED_WORD.test(text) &&
    !SYMBOL_IN_WORD.test(text)
  );
}

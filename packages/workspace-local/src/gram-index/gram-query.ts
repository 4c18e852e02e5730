import type { ByteSequence, ByteSet, RequiredBytes } from '../regex/required-bytes.ts';

/**
 * Which grams (runs of three or four bytes) a text must hold to hold a match: one of the alternatives, of which each
 * group must be met by one of its grams. Grams are mixed to 32 bits already.
 */
export type GramQuery = readonly (readonly (readonly number[])[])[];

/** Groups of one alternative: more tell little more. */
const maxGroups = 32;
/** Different grams that one place in a pattern may stand for. */
const maxVariants = 4;
/** What a gram is multiplied with, by its length. */
const factors = { 3: 0x9e3779b1, 4: 0x85ebca6b } as const;

/** What a pattern requires, as grams; undefined when a text without any could match. */
export function gramQuery(required: RequiredBytes | undefined): GramQuery | undefined {
  const alternatives = (required?.alternatives ?? []).map(groupsOf);
  if (alternatives.length === 0 || alternatives.some((groups) => groups.length === 0)) {
    return undefined;
  }
  return alternatives;
}

/** Where a mixed gram stands in a set of `count` bits; as `markGrams` of scanner.wat has it. */
export function bitOf(mixed: number, count: number): number {
  return Math.floor((mixed * count) / 2 ** 32);
}

/** Longer grams first: they rule out more. */
function groupsOf(sequence: ByteSequence): number[][] {
  const folded = sequence.map(foldedBytes);
  return [...groupsOfLength(folded, 4), ...groupsOfLength(folded, 3)].slice(0, maxGroups);
}

function groupsOfLength(folded: readonly (readonly number[])[], length: 3 | 4): number[][] {
  const groups: number[][] = [];
  for (let at = 0; at + length <= folded.length; at += 1) {
    let grams = [0];
    for (const [place, bytes] of folded.slice(at, at + length).entries()) {
      grams = grams.flatMap((gram) => bytes.map((byte) => gram | (byte << (place * 8))));
      if (grams.length > maxVariants) break;
    }
    if (grams.length > maxVariants) continue;
    groups.push(grams.map((gram) => Math.imul(gram, factors[length]) >>> 0));
  }
  return groups;
}

/** The bytes of a set, letters in either case as one. */
function foldedBytes(set: ByteSet): number[] {
  const bytes = new Set<number>();
  for (let byte = 0; byte < 256; byte += 1) if (set[byte] === 1) bytes.add(byte | 0x20);
  return [...bytes];
}

import { frequencyOf, type ByteSequence, type RequiredBytes } from '../regex/required-bytes.ts';
import { layout, type ScannerMemory } from './scanner-memory.ts';

/** Skips to places where a match may be. */
export interface CandidateFinder {
  /** A candidate is the match itself, of this many bytes; undefined when it only hints at one. */
  readonly exactLength: number | undefined;
  /** The first candidate in [start, end), or -1. It lies inside of a match, when there is one. */
  next(start: number, end: number): number;
}

const maxNeedle = 1024;

/** Prepares the memory's tables for what a pattern requires. */
export function createCandidateFinder(
  memory: ScannerMemory,
  required: RequiredBytes,
): CandidateFinder {
  const [only] = required.alternatives;
  const needle =
    required.alternatives.length === 1 && only !== undefined ? toNeedle(only) : undefined;
  return needle === undefined
    ? setFinder(memory, required.alternatives)
    : needleFinder(memory, needle, required.exact);
}

interface Needle {
  readonly bytes: readonly number[];
  readonly masks: readonly number[];
}

/** A sequence of single bytes, or of letters in either case. */
function toNeedle(sequence: ByteSequence): Needle | undefined {
  if (sequence.length > maxNeedle) return undefined;
  const bytes: number[] = [];
  const masks: number[] = [];
  for (const set of sequence) {
    const members = [...set.keys()].filter((byte) => set[byte] === 1);
    const [low = 0, high] = members;
    if (members.length === 1) {
      bytes.push(low);
      masks.push(0);
    } else if (members.length === 2 && high === (low | 0x20) && low !== high) {
      bytes.push(high);
      masks.push(0x20);
    } else return undefined;
  }
  return { bytes, masks };
}

function needleFinder(memory: ScannerMemory, needle: Needle, exact: boolean): CandidateFinder {
  const { bytes, masks } = needle;
  memory.bytes.set(bytes, layout.needle);
  memory.bytes.set(masks, layout.needle + maxNeedle);
  const order = [...bytes.keys()].toSorted(
    (a, b) => needleFrequency(needle, a) - needleFrequency(needle, b),
  );
  const first = order[0] ?? 0;
  const second = order.find((index) => bytes[index] !== bytes[first]) ?? order.at(-1) ?? first;
  const { code } = memory;
  const { length } = bytes;
  return {
    exactLength: exact ? length : undefined,
    next: (start, end) => code.find(start, end, layout.needle, length, first, second),
  };
}

function needleFrequency({ bytes, masks }: Needle, index: number): number {
  const set = new Uint8Array(256);
  const byte = bytes[index] ?? 0;
  set[byte] = 1;
  if (masks[index] !== 0) set[byte & ~0x20] = 1;
  return frequencyOf(set);
}

function setFinder(memory: ScannerMemory, alternatives: readonly ByteSequence[]): CandidateFinder {
  const length = Math.min(...alternatives.map((sequence) => sequence.length));
  const [o1, o2, o3] = rarestOffsets(alternatives, length);
  const tables = new Uint8Array(96);
  for (const [pair, offset] of [o1, o2, o3].entries()) {
    for (const [bucket, sequence] of alternatives.entries()) {
      for (const [byte, member] of (sequence[offset] ?? []).entries()) {
        if (member !== 1) continue;
        const low = pair * 32 + (byte & 15);
        const high = pair * 32 + 16 + (byte >> 4);
        tables[low] = (tables[low] ?? 0) | (1 << bucket);
        tables[high] = (tables[high] ?? 0) | (1 << bucket);
      }
    }
  }
  memory.bytes.set(tables, layout.setTables);
  const { code } = memory;
  return {
    exactLength: undefined,
    next: (start, end) => code.findSets(start, end, layout.setTables, o1, o2, o3),
  };
}

/** The three offsets, not descending, at which the alternatives' bytes are rarest together. */
function rarestOffsets(
  alternatives: readonly ByteSequence[],
  length: number,
): readonly [number, number, number] {
  const frequencies = alternatives.map((sequence) => sequence.map(frequencyOf));
  let best: readonly [number, number, number] = [0, 0, 0];
  let bestRarity = Infinity;
  const limit = Math.min(length, 12);
  for (let a = 0; a < limit; a += 1) {
    for (let b = Math.min(a + 1, limit - 1); b < limit; b += 1) {
      for (let c = Math.min(b + 1, limit - 1); c < limit; c += 1) {
        let rarity = 0;
        for (const row of frequencies) {
          const distinct = new Set([a, b, c]);
          rarity += [...distinct].reduce((product, offset) => product * (row[offset] ?? 1), 1);
        }
        if (rarity < bestRarity) {
          bestRarity = rarity;
          best = [a, b, c];
        }
      }
    }
  }
  return best;
}

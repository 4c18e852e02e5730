import type { TextSplice } from '@toolwright/documents';

/** A part of the original text that still stands in the text. */
interface Piece {
  /** Offsets in the original. */
  readonly from: number;
  readonly to: number;
  /** Offset of its start in the text as it is now. */
  readonly at: number;
}

/** A text that is changed bit by bit, with the way back to what of it is original. */
export interface PieceMap {
  /** The text as it is now; put together when first asked for. */
  readonly text: string;
  /** Whether it is still the original text. */
  readonly isOriginal: boolean;
  /** Where an untouched stretch of the original stands now; `undefined` once a part of it has been changed. */
  locate(start: number, end: number): number | undefined;
  /** The map after some splices of the text as it is now, sorted and disjoint. */
  apply(splices: readonly TextSplice[]): PieceMap;
  /** Everything that was changed, as splices of the original. */
  splices(): readonly TextSplice[];
}

/** The unchanged text. */
export function createPieceMap(original: string): PieceMap {
  return {
    text: original,
    isOriginal: true,
    locate: (start) => start,
    apply: (splices) => {
      const kept = keptRanges(splices, original.length);
      const pieces = kept.flatMap(({ start, end, growth }) =>
        start < end ? [{ from: start, to: end, at: start + growth }] : [],
      );
      return changedMap(original, { pieces, splices });
    },
    splices: () => [],
  };
}

function changedMap(
  original: string,
  state: { readonly pieces: readonly Piece[]; readonly splices: readonly TextSplice[] },
): PieceMap {
  const { pieces, splices } = state;
  let text: string | undefined;
  const now = (): string => (text ??= spliceText(original, splices));
  return {
    get text() {
      return now();
    },
    isOriginal: false,
    locate: (start, end) => {
      const piece = pieceAt(pieces, start);
      if (piece === undefined || start < piece.from || end > piece.to) return undefined;
      return piece.at + start - piece.from;
    },
    apply: (more) => {
      const next = spliceText(now(), more);
      const kept = keptRanges(more, now().length);
      const nextPieces = cutPieces(pieces, kept);
      return changedMap(original, {
        pieces: nextPieces,
        splices: gapsOf(nextPieces, next, original.length),
      });
    },
    splices: () => splices,
  };
}

/** The last piece that starts at or before an offset of the original. */
function pieceAt(pieces: readonly Piece[], offset: number): Piece | undefined {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.from ?? Infinity) <= offset) low = middle + 1;
    else high = middle;
  }
  return pieces[low - 1];
}

/** A stretch of the text that stays, and by how much it moves. */
interface KeptRange {
  readonly start: number;
  readonly end: number;
  readonly growth: number;
}

/** One more than there are splices: before the first, between, after the last. */
function keptRanges(splices: readonly TextSplice[], length: number): KeptRange[] {
  const kept: KeptRange[] = [];
  let start = 0;
  let growth = 0;
  for (const splice of splices) {
    kept.push({ start, end: splice.start, growth });
    growth += splice.replacement.length - (splice.end - splice.start);
    start = splice.end;
  }
  kept.push({ start, end: length, growth });
  return kept;
}

/** What of the pieces lies in ranges that stay; both are sorted. */
function cutPieces(pieces: readonly Piece[], kept: readonly KeptRange[]): Piece[] {
  const next: Piece[] = [];
  let range = 0;
  for (const { from, to, at } of pieces) {
    const pieceEnd = at + to - from;
    while ((kept[range]?.end ?? Infinity) <= at && range < kept.length - 1) range += 1;
    for (let index = range; index < kept.length; index += 1) {
      const { start, end, growth } = kept[index] ?? { start: Infinity, end: 0, growth: 0 };
      if (start >= pieceEnd) break;
      const first = Math.max(start, at);
      const last = Math.min(end, pieceEnd);
      if (first >= last) continue;
      next.push({ from: from + first - at, to: from + last - at, at: first + growth });
    }
  }
  return next;
}

/** What stands between the pieces, as splices of the original. */
function gapsOf(pieces: readonly Piece[], text: string, originalLength: number): TextSplice[] {
  const gaps: TextSplice[] = [];
  let original = 0;
  let current = 0;
  const end: Piece = { from: originalLength, to: originalLength, at: text.length };
  for (const { from, to, at } of [...pieces, end]) {
    if (from > original || at > current) {
      gaps.push({ start: original, end: from, replacement: text.slice(current, at) });
    }
    original = to;
    current = at + to - from;
  }
  return gaps;
}

function spliceText(text: string, splices: readonly TextSplice[]): string {
  const parts: string[] = [];
  let copied = 0;
  for (const { start, end, replacement } of splices) {
    parts.push(text.slice(copied, start), replacement);
    copied = end;
  }
  parts.push(text.slice(copied));
  return parts.join('');
}

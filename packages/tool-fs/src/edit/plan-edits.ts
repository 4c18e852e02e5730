import type { TextSplice } from '@toolwright/documents';
import { candidateAt, closestText } from './closest-text.ts';
import type { EditCandidate } from './closest-text.ts';
import { composeSplices, searchChanges } from './compose-splices.ts';
import { findIndented } from './find-indented.ts';
import { findInView, viewOf } from './find-text.ts';
import type { MatchTier } from './find-text.ts';
import { createView } from './text-view.ts';
import { createPieceMap } from './piece-map.ts';
import type { PieceMap } from './piece-map.ts';

/** One replacement that is asked for. */
export interface TextEdit {
  readonly search: string;
  readonly replacement: string;
  /** Every exact occurrence instead of the only one. */
  readonly all: boolean;
}

/** What one edit does. */
export interface PlannedEdit {
  readonly tier: MatchTier;
  readonly count: number;
  /** 1-based first line of each replacement; of the first 1,000. */
  readonly lines: readonly number[];
}

/** Why a list of edits cannot be done; nothing of it is. */
export type EditFailure = {
  /** Which edit, 0-based. */
  readonly index: number;
} & (
  | { readonly kind: 'no_match'; readonly candidates: readonly EditCandidate[] }
  | {
      readonly kind: 'ambiguous';
      readonly tier: MatchTier;
      readonly count: number;
      readonly candidates: readonly EditCandidate[];
    }
  | {
      readonly kind: 'overlap';
      /** The earlier edit that matches the same text; null for one that changed it on the way. */
      readonly other: number | null;
    }
  | { readonly kind: 'no_change' }
);

/** The outcome of planning. */
export type EditPlan =
  | {
      readonly ok: true;
      /** Of the original text, sorted and disjoint. */
      readonly splices: readonly TextSplice[];
      readonly edits: readonly PlannedEdit[];
    }
  | { readonly ok: false; readonly failure: EditFailure };

/** UTF-16 units of a text up to which anything but an exact match is looked for. */
const MAX_TOLERANT = 8_388_608;

/**
 * Plans edits of a text, all or nothing. Each is matched on the original text, and on the text so far when it does not
 * stand there; what two edits match in the original must not overlap. Tolerant tiers count only with one candidate.
 */
export function planEdits(text: string, edits: readonly TextEdit[]): EditPlan {
  let map = createPieceMap(text);
  const taken: (readonly EditPlace[] | undefined)[] = [];
  const planned: PlannedEdit[] = [];
  for (const [index, edit] of edits.entries()) {
    const found = findEdit(text, map, edit);
    if (found.kind !== 'found') return { ok: false, failure: { ...found, index } };
    const { places, tier, base } = found;
    if (base === 'original') {
      const other = taken.findIndex((earlier) => earlier !== undefined && overlap(earlier, places));
      if (other >= 0) return { ok: false, failure: { kind: 'overlap', index, other } };
    }
    taken.push(base === 'original' ? places : undefined);
    const splices = places.flatMap((place) => place.splices);
    const moved = base === 'original' ? moveToNow(map, splices) : splices;
    if (moved === undefined) {
      return { ok: false, failure: { kind: 'overlap', index, other: null } };
    }
    const source = base === 'original' ? text : map.text;
    if (splices.every((splice) => source.slice(splice.start, splice.end) === splice.replacement)) {
      return { ok: false, failure: { kind: 'no_change', index } };
    }
    planned.push({ tier, count: places.length, lines: linesOf(source, places) });
    map = map.apply(moved);
  }
  return { ok: true, splices: map.splices(), edits: planned };
}

/** Whether two lists of places, each sorted, share a character. */
function overlap(a: readonly EditPlace[], b: readonly EditPlace[]): boolean {
  let other = 0;
  for (const { start, end } of a) {
    while ((b[other]?.end ?? Infinity) <= start) other += 1;
    if ((b[other]?.start ?? Infinity) < end) return true;
  }
  return false;
}

/** Line numbers that an answer tells of one edit. */
const MAX_LINES_TOLD = 1_000;

function linesOf(text: string, places: readonly EditPlace[]): number[] {
  let line = 1;
  let newline = text.indexOf('\n');
  return places.slice(0, MAX_LINES_TOLD).map(({ start }) => {
    while (newline >= 0 && newline < start) {
      line += 1;
      newline = text.indexOf('\n', newline + 1);
    }
    return line;
  });
}

/** A place with what happens there, in offsets of the text that was searched. */
interface EditPlace {
  readonly start: number;
  readonly end: number;
  readonly splices: readonly TextSplice[];
}

type FindOutcome =
  | {
      readonly kind: 'found';
      readonly places: readonly EditPlace[];
      readonly tier: MatchTier;
      readonly base: 'original' | 'now';
    }
  | { readonly kind: 'no_match'; readonly candidates: readonly EditCandidate[] }
  | {
      readonly kind: 'ambiguous';
      readonly tier: MatchTier;
      readonly count: number;
      readonly candidates: readonly EditCandidate[];
    };

const TOLERANT_TIERS = ['trailing_whitespace', 'indentation', 'unicode'] as const;

/** Exact matches come first, on the original and then on the text so far; then the tolerant tiers in the same order. */
function findEdit(original: string, map: PieceMap, edit: TextEdit): FindOutcome {
  const bases = [
    { base: 'original' as const, text: original },
    ...(map.isOriginal ? [] : [{ base: 'now' as const, text: map.text }]),
  ];
  for (const { base, text } of bases) {
    const outcome = findTier(text, edit, 'exact');
    if (outcome !== undefined) return withBase(outcome, base);
  }
  const isTolerated = !edit.all && Math.max(original.length, map.text.length) <= MAX_TOLERANT;
  if (isTolerated) {
    for (const { base, text } of bases) {
      for (const tier of TOLERANT_TIERS) {
        const outcome = findTier(text, edit, tier);
        if (outcome !== undefined) return withBase(outcome, base);
      }
    }
  }
  const search = toLf(edit.search);
  const candidates = map.text.length <= MAX_TOLERANT ? closestText(toLf(map.text), search) : [];
  return { kind: 'no_match', candidates };
}

type TierOutcome =
  | Omit<Extract<FindOutcome, { kind: 'found' }>, 'base'>
  | Extract<FindOutcome, { kind: 'ambiguous' }>;

function withBase(outcome: TierOutcome, base: 'original' | 'now'): FindOutcome {
  return outcome.kind === 'found' ? { ...outcome, base } : outcome;
}

/** What one tier finds in a text: nothing, one place (or all that are wanted), or too many. */
function findTier(text: string, edit: TextEdit, tier: MatchTier): TierOutcome | undefined {
  const { count, first, places } = placesOf(text, edit, tier);
  if (count === 0) return undefined;
  if (count === 1 || edit.all) return { kind: 'found', places: places(), tier };
  const search = toLf(edit.search);
  const candidates = first.map((place) => candidateAt(text, place, search));
  return { kind: 'ambiguous', tier, count, candidates };
}

/** Places that an answer names when there are several. */
const MAX_PLACES_TOLD = 12;

interface FoundPlaces {
  readonly count: number;
  /** The first of them, overlapping ones included. */
  readonly first: readonly { readonly start: number; readonly end: number }[];
  readonly places: () => readonly EditPlace[];
}

function placesOf(text: string, edit: TextEdit, tier: MatchTier): FoundPlaces {
  const search = toLf(edit.search);
  const replacement = toLf(edit.replacement);
  if (tier === 'exact' && search === replacement) return endingsOnly(text, edit);
  if (tier === 'indentation') {
    const found = findIndented(text, search);
    const places = found.flatMap(({ start, end, toSplices }) => {
      const splices = toSplices(replacement);
      return splices === undefined ? [] : [{ start, end, splices }];
    });
    // The only place, in which the replacement cannot be indented, is none.
    const count = found.length === 1 ? places.length : found.length;
    return { count, first: found.slice(0, MAX_PLACES_TOLD), places: () => places };
  }
  const { matches, count, places } = findInView(viewOf(text, tier), search, tier);
  return {
    count,
    first: places,
    places: () => {
      const changes = searchChanges(search, replacement);
      return matches.map((match) => ({
        start: match.start,
        end: match.end,
        splices: composeSplices(text, match, { text: search, changes }),
      }));
    },
  };
}

/** An edit that asks for other line endings and nothing else: as given, byte for byte. */
function endingsOnly(text: string, edit: TextEdit): FoundPlaces {
  const { matches, count, places } = findInView(createView(text, []), edit.search, 'exact');
  const { replacement } = edit;
  return {
    count,
    first: places,
    places: () =>
      matches.map(({ start, end }) => ({ start, end, splices: [{ start, end, replacement }] })),
  };
}

/** Splices of the original as splices of the text as it is now; `undefined` where that part has been changed. */
function moveToNow(map: PieceMap, splices: readonly TextSplice[]): TextSplice[] | undefined {
  const moved: TextSplice[] = [];
  for (const splice of splices) {
    const start = map.locate(splice.start, splice.end);
    if (start === undefined) return undefined;
    moved.push({ ...splice, start, end: start + splice.end - splice.start });
  }
  return moved;
}

function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

import { anchorPositions } from './anchors.ts';
import { findLines, hasLinesAt } from './find-lines.ts';
import { fitsAt, isSideAt, type PatchTarget } from './match-side.ts';
import type { HunkSide, PreparedHunk } from './prepared-hunk.ts';

/** Where a hunk goes, or why it goes nowhere. Lines are 0-based. */
export type Location =
  | {
      readonly kind: 'placed';
      readonly at: number;
      /** Lines between where the header says and where the old lines are; 0 when it says nothing. */
      readonly offset: number;
    }
  /** The file has the new lines already, here. */
  | { readonly kind: 'already_applied'; readonly at: number }
  /** The old lines are at several places and nothing tells which is meant. */
  | { readonly kind: 'ambiguous'; readonly places: readonly number[] }
  /** The hunk only adds lines and names no place. */
  | { readonly kind: 'unplaced' }
  | { readonly kind: 'anchor_missing'; readonly anchor: string }
  /** The old lines are here alone, and another hunk changes some of them. */
  | { readonly kind: 'overlapping'; readonly at: number }
  | { readonly kind: 'mismatch' };

/** At most this many places of an ambiguous hunk are told. */
const maxPlaces = 8;

/** A range of lines that a hunk changes. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds for each hunk the one place of the original file where its old lines stand exactly: where the
 * header says, shifted as the hunk before was, or the only such place in the file; after the hunks before
 * it, if there is one. Lines of the file that one hunk changes are not changed by another.
 */
export function locateHunks(
  target: PatchTarget,
  hunks: readonly PreparedHunk[],
): readonly Location[] {
  const taken: Span[] = [];
  let earliest = 0;
  let highest = 0;
  let shift = 0;
  return hunks.map((prepared) => {
    const place = { target, prepared, taken, earliest, highest, shift };
    const location = prepared.old.keys.length === 0 ? locateInsertion(place) : locateHunk(place);
    if (location.kind === 'placed') {
      const span = changedSpan(prepared, location.at);
      taken.push(span);
      earliest = span.end;
      highest = Math.max(highest, span.end);
      if (prepared.hunk.start !== null) shift = location.offset;
    }
    return location;
  });
}

/** The hunk at hand and what the hunks before it left. */
interface Search {
  readonly target: PatchTarget;
  readonly prepared: PreparedHunk;
  readonly taken: readonly Span[];
  /** Where the changes of the hunk before end. */
  readonly earliest: number;
  /** After this line no hunk has changed anything. */
  readonly highest: number;
  /** The offset of the hunk before. */
  readonly shift: number;
}

function locateHunk(search: Search): Location {
  const { target, prepared, shift } = search;
  const { start } = prepared.hunk;
  if (start !== null) {
    const declared = Math.max(0, start - 1);
    const expected = [...new Set([declared + shift, declared])].filter(
      (at) => hasLinesAt(target.source, prepared.old.keys, at) && isFree(search, at),
    );
    const [at] = expected;
    if (expected.length > 1) return { kind: 'ambiguous', places: expected };
    if (at !== undefined) return placed(search, at, { declared, expected: true });
    const found = candidates(search);
    return appliedWhereExpected(search, declared + shift, found) ?? chosen(search, found, declared);
  }
  if (prepared.hunk.anchors.length > 0) return locateAnchored(search);
  return chosen(search, candidates(search), null);
}

/** What several, one or no places mean. */
function chosen(search: Search, places: readonly number[], declared: number | null): Location {
  const [at] = places;
  if (places.length > 1) return { kind: 'ambiguous', places };
  if (at !== undefined) return placed(search, at, { declared, expected: false });
  const { target, prepared } = search;
  const accepts = (place: number): boolean => fitsAt(target, prepared, place);
  const [other] = findLines(target.source, prepared.old.keys, { from: 0, limit: 1, accepts });
  if (other !== undefined) return { kind: 'overlapping', at: other };
  const applied = isTelling(prepared.new) ? findSide(target, prepared.new, 2) : [];
  const [only] = applied;
  if (applied.length === 1 && only !== undefined) return { kind: 'already_applied', at: only };
  const emptied = prepared.new.keys.length === 0 && target.source.lines.length === 0;
  return emptied ? { kind: 'already_applied', at: 0 } : { kind: 'mismatch' };
}

/** The places after the hunk before; only if there is none, those ahead of it. */
function candidates(search: Search): readonly number[] {
  const { target, prepared, earliest } = search;
  const from = Math.max(0, earliest - prepared.leading);
  const accepts = (at: number): boolean => isFree(search, at);
  const keys = prepared.old.keys;
  const after = findLines(target.source, keys, { from, limit: maxPlaces, accepts });
  if (after.length > 0 || from === 0) return after;
  return findLines(target.source, keys, { from: 0, limit: maxPlaces, accepts });
}

/** The first place at or after each line that the anchors name. */
function locateAnchored(search: Search): Location {
  const { target, prepared, earliest } = search;
  const anchors = anchorPositions(target.source, prepared.hunk.anchors);
  if (typeof anchors === 'string') return { kind: 'anchor_missing', anchor: anchors };
  const accepts = (at: number): boolean => isFree(search, at);
  const places = new Set<number>();
  for (const from of anchors.slice(0, maxPlaces * 8)) {
    const [at] = findLines(target.source, prepared.old.keys, { from, limit: 1, accepts });
    if (at !== undefined) places.add(at);
  }
  const all = [...places];
  const after = all.filter((at) => at + prepared.leading >= earliest);
  return chosen(search, (after.length > 0 ? after : all).slice(0, maxPlaces), null);
}

/** A hunk without old lines: only its number, its anchor or the end of the file says where it goes. */
function locateInsertion(search: Search): Location {
  const { target, prepared, shift } = search;
  const { source } = target;
  const { hunk } = prepared;
  const total = source.lines.length;
  const added = prepared.new.keys.length;
  if (hunk.atEnd || total === 0) {
    const again = total - added;
    if (isSideAt(target, prepared.new, again)) return { kind: 'already_applied', at: again };
    return { kind: 'placed', at: total, offset: 0 };
  }
  let places: readonly number[];
  if (hunk.start === null) {
    if (hunk.anchors.length === 0) return { kind: 'unplaced' };
    const anchors = anchorPositions(source, hunk.anchors);
    if (typeof anchors === 'string') return { kind: 'anchor_missing', anchor: anchors };
    places = anchors.map((at) => at + 1);
  } else places = [hunk.start + shift];
  const [at = 0] = places;
  if (places.length > 1) return { kind: 'ambiguous', places: places.slice(0, maxPlaces) };
  const fits = prepared.new.terminated !== false || at === total;
  if (at < 0 || at > total || !fits || !isFree(search, at)) return { kind: 'mismatch' };
  if (isSideAt(target, prepared.new, at)) return { kind: 'already_applied', at };
  return { kind: 'placed', at, offset: hunk.start === null ? 0 : shift };
}

/**
 * Takes a place, unless the lines that the hunk only adds stand there already: without context on both
 * sides, or away from where the header says, the old lines would be found after a first application too.
 */
function placed(
  { target, prepared }: Search,
  at: number,
  { declared, expected }: { readonly declared: number | null; readonly expected: boolean },
): Location {
  if (prepared.onlyInserts) {
    const added = prepared.new.keys.length - prepared.old.keys.length;
    const open = !expected || prepared.trailing === 0;
    if (open && isSideAt(target, prepared.new, at)) return { kind: 'already_applied', at };
    const before = at - added;
    if ((!expected || prepared.leading === 0) && isSideAt(target, prepared.new, before)) {
      return { kind: 'already_applied', at: before };
    }
  }
  return { kind: 'placed', at, offset: declared === null ? 0 : at - declared };
}

/**
 * The new lines where the old ones should be: applied before, even if the old lines are elsewhere too. Not
 * so where they are but the context of the old lines, found near by: those of a hunk that only removes.
 */
function appliedWhereExpected(
  { target, prepared }: Search,
  expected: number,
  found: readonly number[],
): Location | undefined {
  const created = prepared.new;
  const adds = prepared.hunk.lines.some((line) => line.kind === 'add');
  if (!adds && created.keys.length < 2) return undefined;
  const spare = prepared.old.keys.length - created.keys.length;
  const isContext = (place: number): boolean =>
    found.some((at) => at <= place && place <= at + spare);
  const places = [expected, (prepared.hunk.newStart ?? 0) - 1];
  const at = places.find((place) => isSideAt(target, created, place) && !isContext(place));
  return at === undefined ? undefined : { kind: 'already_applied', at };
}

/** Whether finding these lines anywhere says that the hunk was applied: `}` alone stands everywhere. */
function isTelling(side: HunkSide): boolean {
  return side.keys.length > 1 || (side.keys[0]?.trim().length ?? 0) > 2;
}

function findSide(target: PatchTarget, side: HunkSide, limit: number): readonly number[] {
  const accepts = (at: number): boolean => isSideAt(target, side, at);
  return findLines(target.source, side.keys, { from: 0, limit, accepts });
}

/** Whether a hunk may be applied at a place where its old lines are. */
function isFree({ target, prepared, taken, highest }: Search, at: number): boolean {
  if (!fitsAt(target, prepared, at)) return false;
  const span = changedSpan(prepared, at);
  return (
    span.start >= highest ||
    !taken.some((other) => span.start < other.end && other.start < span.end)
  );
}

/** The lines that a hunk changes, context left out. */
export function changedSpan(prepared: PreparedHunk, at: number): Span {
  return {
    start: at + prepared.leading,
    end: at + prepared.old.keys.length - prepared.trailing,
  };
}

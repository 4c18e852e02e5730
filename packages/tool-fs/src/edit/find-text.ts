import { createView } from './text-view.ts';
import type { TextView } from './text-view.ts';
import { lineEndingView, trailingSpaceView, unicodeView } from './views.ts';

/** How closely a search text agreed with the file: `exact` leaves only line endings aside. */
export type MatchTier = 'exact' | 'trailing_whitespace' | 'indentation' | 'unicode';

/** Where a search text stands in a file, in offsets of the file's text, and how the two correspond. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
  /** Where in the file something starts that starts in the search text here; `undefined` inside of a whole. */
  startAt(offset: number): number | undefined;
  /** Where in the file something ends that ends in the search text here. */
  endAt(offset: number): number | undefined;
}

/** Occurrences of a search text. */
export interface FoundText {
  /** From left to right, without overlap: what is replaced when all are. */
  readonly matches: readonly TextMatch[];
  /** How often it stands there, overlapping places included, because each may have been meant. */
  readonly count: number;
  /** The first of these places. */
  readonly places: readonly TextMatch[];
}

/** Places that `FoundText.places` has at most. */
const MAX_PLACES = 12;

/** Tiers that see the text through a view; indentation is matched line by line elsewhere. */
export type ViewTier = Exclude<MatchTier, 'indentation'>;

/** The file as a tier sees it. */
export function viewOf(text: string, tier: ViewTier): TextView {
  switch (tier) {
    case 'exact':
      return lineEndingView(text);
    case 'trailing_whitespace':
      return trailingSpaceView(text);
    case 'unicode':
      return unicodeView(text);
  }
}

/** Finds a search text (with LF alone) in a view. */
export function findInView(view: TextView, search: string, tier: ViewTier): FoundText {
  const needle = tier === 'exact' ? createView(search, []) : viewOf(search, tier);
  if (needle.text === '') return { matches: [], count: 0, places: [] };
  const endsLine = tier === 'trailing_whitespace' && /[ \t]$/.test(search);
  const matches: TextMatch[] = [];
  const places: TextMatch[] = [];
  let count = 0;
  let taken = 0;
  for (
    let at = view.text.indexOf(needle.text);
    at >= 0;
    at = view.text.indexOf(needle.text, at + 1)
  ) {
    const end = at + needle.text.length;
    const match = matchAt(view, needle, at);
    if (match === undefined) continue;
    // Blanks at the end of the search text say that the line ends there.
    if (endsLine && end < view.text.length && view.text[end] !== '\n') continue;
    count += 1;
    if (places.length < MAX_PLACES) places.push(match);
    if (at < taken) continue;
    matches.push(match);
    taken = end;
  }
  return { matches, count, places };
}

/** The match at a place of the view, unless it starts or ends inside of something matched whole. */
function matchAt(view: TextView, needle: TextView, at: number): TextMatch | undefined {
  const start = view.toStart(at);
  const end = view.toEnd(at + needle.text.length);
  if (start === undefined || end === undefined) return undefined;
  const inView = (offset: number): number | undefined => {
    const place = needle.fromRaw(offset);
    return place === undefined ? undefined : at + place;
  };
  return {
    start,
    end,
    startAt: (offset) => mapped(inView(offset), view.toStart),
    endAt: (offset) => mapped(inView(offset), view.toEnd),
  };
}

function mapped(
  offset: number | undefined,
  map: (offset: number) => number | undefined,
): number | undefined {
  return offset === undefined ? undefined : map(offset);
}

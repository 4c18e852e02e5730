/** A part of a text that stands in a view as something else. */
export interface ViewException {
  /** Offset in the text. */
  readonly raw: number;
  readonly rawLength: number;
  /** What the view has instead; it is matched whole or not at all. */
  readonly shown: string;
}

/**
 * A text seen with some differences taken away (line endings, trailing white space, look-alike characters), from whose
 * offsets the way back to the text is known.
 */
export interface TextView {
  readonly text: string;
  /** The text's offset at which a match that starts here starts; `undefined` inside of something matched whole. */
  toStart(offset: number): number | undefined;
  /** The text's offset at which a match that ends here ends. */
  toEnd(offset: number): number | undefined;
  /** The view's offset of a place in the text; `undefined` inside of something matched whole. */
  fromRaw(offset: number): number | undefined;
}

/** Builds a view from its exceptions, in order and disjoint. */
export function createView(raw: string, exceptions: readonly ViewException[]): TextView {
  if (exceptions.length === 0) {
    return { text: raw, toStart: itself, toEnd: itself, fromRaw: itself };
  }
  const parts: string[] = [];
  const places: Place[] = [];
  let copied = 0;
  let view = 0;
  for (const { raw: start, rawLength, shown } of exceptions) {
    parts.push(raw.slice(copied, start), shown);
    view += start - copied;
    places.push({ view, viewEnd: view + shown.length, raw: start, rawEnd: start + rawLength });
    view += shown.length;
    copied = start + rawLength;
  }
  parts.push(raw.slice(copied));
  return {
    text: parts.join(''),
    toStart: (offset) => {
      const place = lastPlace(places, (candidate) => candidate.view <= offset);
      if (place === undefined) return offset;
      if (offset >= place.viewEnd) return place.rawEnd + offset - place.viewEnd;
      return offset === place.view ? place.raw : undefined;
    },
    toEnd: (offset) => {
      const place = lastPlace(places, (candidate) => candidate.view < offset);
      if (place === undefined) return offset;
      return offset >= place.viewEnd ? place.rawEnd + offset - place.viewEnd : undefined;
    },
    fromRaw: (offset) => {
      const place = lastPlace(places, (candidate) => candidate.raw <= offset);
      if (place === undefined) return offset;
      if (offset >= place.rawEnd) return place.viewEnd + offset - place.rawEnd;
      return offset === place.raw ? place.view : undefined;
    },
  };
}

/** Where an exception stands, in the view and in the text. */
interface Place {
  readonly view: number;
  readonly viewEnd: number;
  readonly raw: number;
  readonly rawEnd: number;
}

function itself(offset: number): number {
  return offset;
}

/** The last place for which `isBefore` holds; it holds for all up to one and for none after. */
function lastPlace(
  places: readonly Place[],
  isBefore: (place: Place) => boolean,
): Place | undefined {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const place = places[middle];
    if (place !== undefined && isBefore(place)) low = middle + 1;
    else high = middle;
  }
  return places[low - 1];
}

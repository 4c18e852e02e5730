/** Characters of results remembered; the oldest go first. */
const MAX_REMEMBERED = 2 * 1024 * 1024;
/** Characters of one result that are remembered, from its start. */
const MAX_ONE = 256 * 1024;
/** Length of the pieces by which texts are compared. */
const PIECE = 24;
/** Pieces compared of one text, spread evenly. */
const MAX_PIECES = 24;

/** What earlier results said, as far as it is kept. */
export class ResultMemory {
  readonly #texts: string[] = [];
  #length = 0;

  add(text: string): void {
    const kept = squeeze(text.slice(0, MAX_ONE));
    this.#texts.push(kept);
    this.#length += kept.length;
    while (this.#length > MAX_REMEMBERED) {
      this.#length -= this.#texts.shift()?.length ?? 0;
    }
  }

  /** Whether a text holds at least two separate pieces of what was remembered, or all of it when it is short. */
  knows(text: string): boolean {
    const squeezed = squeeze(text);
    const places = Math.floor(squeezed.length / PIECE);
    const step = Math.max(Math.floor(places / MAX_PIECES), 1);
    let hits = 0;
    for (let place = 0; place < places; place += step) {
      const piece = squeezed.slice(place * PIECE, (place + 1) * PIECE);
      hits += this.#texts.some((known) => known.includes(piece)) ? 1 : 0;
      if (hits >= Math.min(2, places)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a text stands in what was remembered, word for word. */
  includes(text: string): boolean {
    const squeezed = squeeze(text);
    return this.#texts.some((known) => known.includes(squeezed));
  }
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/gu, ' ');
}

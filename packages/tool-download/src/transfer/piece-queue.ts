import { planRest, planSplit } from './plan-pieces.ts';
import type { Piece } from './plan-pieces.ts';

/** A piece on its way. Its end moves forward when another connection takes over the rest. */
export interface PieceProgress {
  readonly start: number;
  /** The last byte that belongs to this piece. */
  end: number;
  /** The next byte to come. */
  position: number;
}

/** Hands out the pieces of a file to connections, and knows up to where the file has no gap. */
export class PieceQueue {
  readonly #waiting: PieceProgress[];
  /** In the order of the file. */
  readonly #all: PieceProgress[];
  #first = 0;
  #active = 0;

  constructor(pieces: readonly Piece[]) {
    this.#all = pieces.map((piece) => ({ ...piece, position: piece.start }));
    this.#waiting = [...this.#all];
  }

  /** A piece nobody works on, else the second half of the largest one under way; `undefined` when nothing is worth it. */
  take(): PieceProgress | undefined {
    return this.#waiting.shift() ?? this.#split();
  }

  /** Cuts the pieces under way, so that more connections can help from here on. */
  spread(): void {
    const underWay = this.#all.filter(
      (piece) => piece.position <= piece.end && !this.#waiting.includes(piece),
    );
    for (const piece of underWay) {
      const [first, ...others] = planRest(piece.position, piece.end);
      piece.end = first?.end ?? piece.end;
      const added = others.map((rest) => ({ ...rest, position: rest.start }));
      this.#all.splice(this.#all.indexOf(piece) + 1, 0, ...added);
      this.#waiting.push(...added);
    }
  }

  /** A connection begins. */
  join(): void {
    this.#active += 1;
  }

  /** A connection ends. */
  leave(): void {
    this.#active -= 1;
  }

  /** A connection gives its piece back and ends, if another is still at work; else it has to go on. */
  retire(piece: PieceProgress): boolean {
    if (this.#active < 2) {
      return false;
    }
    this.#active -= 1;
    this.#waiting.unshift(piece);
    return true;
  }

  /** Bytes from the start that are complete. */
  completeTo(): number {
    let current = this.#all[this.#first];
    while (
      current !== undefined &&
      current.position > current.end &&
      this.#first + 1 < this.#all.length
    ) {
      this.#first += 1;
      current = this.#all[this.#first];
    }
    return current?.position ?? 0;
  }

  #split(): PieceProgress | undefined {
    const largest = this.#all.reduce<PieceProgress | undefined>(
      (best, piece) => (best === undefined || leftOf(piece) > leftOf(best) ? piece : best),
      undefined,
    );
    const cut = largest === undefined ? undefined : planSplit(largest.position, largest.end);
    if (largest === undefined || cut === undefined) {
      return undefined;
    }
    const half = { start: cut, end: largest.end, position: cut };
    largest.end = cut - 1;
    this.#all.splice(this.#all.indexOf(largest) + 1, 0, half);
    return half;
  }
}

function leftOf(piece: PieceProgress): number {
  return piece.end + 1 - piece.position;
}

/** Part of a file: bytes `start` to `end`, both included. */
export interface Piece {
  readonly start: number;
  readonly end: number;
}

const MIB = 1024 * 1024;
/** Bytes that a connection must have to carry to be worth its handshake. */
const MIN_BYTES_PER_CONNECTION = 2 * MIB;
/** Most connections for one file. */
export const MAX_CONNECTIONS = 4;
/** Largest piece: small enough that hashing, which needs the bytes in order, keeps up with connections that run ahead. */
const MAX_PIECE_BYTES = 16 * MIB;
/** Pieces start at multiples of this, as file systems like it. */
const ALIGNMENT = 4096;

/**
 * How many connections a file is worth: as asked, or the rounded square root of its size in MiB; 1 to 4, and never more than one for
 * each full 2 MiB.
 */
export function planConnections(total: number, requested: number | undefined): number {
  const wanted = requested ?? Math.round(Math.sqrt(total / MIB));
  const sensible = Math.max(Math.floor(total / MIN_BYTES_PER_CONNECTION), 1);
  return Math.min(Math.max(wanted, 1), MAX_CONNECTIONS, sensible);
}

/** Cuts a file into pieces, in order and without gaps: one a connection, or more where these would be large. */
export function planPieces(total: number, connections: number): readonly Piece[] {
  const even = aligned(Math.ceil(total / Math.max(connections, 1)));
  return cutEvenly({ start: 0, end: total - 1 }, Math.min(even, MAX_PIECE_BYTES));
}

/**
 * Cuts what is left of a piece under way, from `position` to `end`, when other connections begin to help: a first part for the one that is
 * at work, and pieces for all.
 */
export function planRest(position: number, end: number): readonly Piece[] {
  const first = Math.min(aligned(position + MAX_PIECE_BYTES) - 1, end);
  return [
    { start: position, end: first },
    ...cutEvenly({ start: first + 1, end }, MAX_PIECE_BYTES),
  ];
}

function cutEvenly({ start, end }: Piece, size: number): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let position = start; position <= end; position += size) {
    pieces.push({ start: position, end: Math.min(position + size - 1, end) });
  }
  return pieces;
}

/**
 * Where to cut what is left of a piece, so that an idle connection can take the second half; `undefined` when the halves would not
 * be worth a request. Returns the first byte of the second half.
 */
export function planSplit(position: number, end: number): number | undefined {
  const left = end + 1 - position;
  return left < 2 * MIN_BYTES_PER_CONNECTION ? undefined : aligned(position + Math.ceil(left / 2));
}

function aligned(position: number): number {
  return Math.ceil(position / ALIGNMENT) * ALIGNMENT;
}

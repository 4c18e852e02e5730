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
/** Pieces start at multiples of this, as file systems like it. */
const ALIGNMENT = 4096;
/** Largest piece: a connection that becomes slow holds up no more than this. */
const MAX_PIECE_BYTES = 16 * MIB;

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
  const even = Math.ceil(total / Math.max(connections, 1));
  const size = Math.min(Math.ceil(even / ALIGNMENT) * ALIGNMENT, MAX_PIECE_BYTES);
  const pieces: Piece[] = [];
  for (let start = 0; start < total; start += size) {
    pieces.push({ start, end: Math.min(start + size, total) - 1 });
  }
  return pieces;
}

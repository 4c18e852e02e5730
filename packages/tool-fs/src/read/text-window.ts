import { byteOffsetOf, loadCodec } from '@toolwright/documents';
import type { Codec } from '@toolwright/documents';
import type { ByteSource } from './byte-source.ts';
import { nextLineEnd } from './line-index.ts';
import type { LineStart } from './line-index.ts';
import type { TextScan } from './scan-text.ts';

/** A place to read on from: a line (0-based), where it starts, and a byte in it. */
export interface TextPosition extends LineStart {
  /** Equal to `byte` at the line's start. */
  readonly at: number;
}

/** One printed line, or a part of one. */
export interface WindowRow {
  /** 0-based. */
  readonly line: number;
  /** Text without the line ending. */
  readonly text: string;
  /** Bytes of the printed row in UTF-8, number and newline included. */
  readonly bytes: number;
  /** Whether the line ends in CRLF. */
  readonly crlf: boolean;
  /** The rest of the line is in a later window. */
  readonly cut: boolean;
  /** Where the row starts. */
  readonly start: TextPosition;
}

/** Rows that fit, and where the next window starts; null at the end of the text. */
export interface TextWindow {
  readonly rows: readonly WindowRow[];
  readonly next: TextPosition | null;
}

/** What a window may hold. */
export interface WindowLimits {
  readonly maxLines: number;
  /** UTF-8 bytes of all printed rows. */
  readonly maxBytes: number;
  /**
   * UTF-8 bytes of the first row: a line with more is cut here, unless the text ends with it and it fits in `maxBytes`.
   * Without it a line is never cut, and left out when it does not fit.
   */
  readonly cutAtBytes?: number;
}

/** The printed form of a row: the 1-based number in six columns, TAB, the text. */
export function renderRow(row: WindowRow): string {
  return `${String(row.line + 1).padStart(6)}\t${row.text}\n`;
}

/** The start of a line (0-based, at most the number of lines). */
export async function positionOfLine(
  source: ByteSource,
  scan: TextScan,
  line: number,
): Promise<TextPosition> {
  if (line >= scan.totalLines) return { line, byte: source.size, at: source.size };
  const known = scan.index.before(line);
  const start = await lineStartAfter(source, scan, {
    known,
    isReached: (place) => place.line >= line,
  });
  const byte = line === 0 ? scan.detected.bomLength : start.byte;
  return { line, byte, at: byte };
}

/** The line that holds a byte. */
export async function positionOfByte(
  source: ByteSource,
  scan: TextScan,
  at: number,
): Promise<TextPosition> {
  const known = scan.index.beforeByte(at);
  let found = known;
  await lineStartAfter(source, scan, {
    known,
    isReached: (place) => {
      if (place.byte > at) return true;
      found = place;
      return false;
    },
  });
  return { line: found.line, byte: Math.max(found.byte, scan.detected.bomLength), at };
}

/** Walks from line start to line start until one is reached, or the text ends. */
async function lineStartAfter(
  source: ByteSource,
  scan: TextScan,
  search: { readonly known: LineStart; readonly isReached: (place: LineStart) => boolean },
): Promise<LineStart> {
  let place = search.known;
  let position = place.byte;
  while (!search.isReached(place) && position < source.size) {
    const block = asBuffer(await source.read(position, WALK_BYTES));
    if (block.length === 0) break;
    let end = nextLineEnd(block, 0, scan.detected.encoding);
    for (; end >= 0; end = nextLineEnd(block, end, scan.detected.encoding)) {
      place = { line: place.line + 1, byte: position + end };
      if (search.isReached(place)) return place;
    }
    position += block.length;
  }
  return place;
}

/** Even, so that blocks of UTF-16 hold whole units. */
const WALK_BYTES = 16_384;

/** Bytes of a printed row beside its text: six columns (or more digits), TAB and newline. */
function overhead(line: number): number {
  return Math.max(6, String(line + 1).length) + 2;
}

/**
 * Takes lines from a position on, by the byte budget first. Rows are whole lines, except that a line too large for the
 * whole window is cut at a character, and its rest is where the next window starts.
 */
export async function takeWindow(
  text: { readonly source: ByteSource; readonly scan: TextScan },
  start: TextPosition,
  limits: WindowLimits,
): Promise<TextWindow> {
  const { source, scan } = text;
  const codec = await loadCodec(scan.detected.encoding);
  if (start.at >= source.size) return { rows: [], next: null };
  // No character has more than twice as many bytes in its encoding as in UTF-8.
  const wanted = limits.maxBytes * (codec.encoding === 'utf-8' ? 1 : 2) + 16;
  const { maxLines } = limits;
  const readBlock = async (length: number): Promise<{ block: Buffer; lines: BlockLine[] }> => {
    const bytes = asBuffer(await source.read(start.at, length));
    const blockEnds = start.at + bytes.length >= source.size;
    return { block: bytes, lines: splitBlock(codec, bytes, { blockEnds, maxLines }) };
  };
  const expected = Math.min(wanted, expectedBytes(scan, maxLines));
  let { block, lines } = await readBlock(expected);
  if (lines.length < maxLines && block.length === expected && expected < wanted) {
    ({ block, lines } = await readBlock(wanted));
  }
  const rows: WindowRow[] = [];
  let used = 0;
  for (const [index, line] of lines.entries()) {
    const number = start.line + index;
    const position =
      index === 0 ? start : { line: number, byte: start.at + line.from, at: start.at + line.from };
    const crlf = line.text.endsWith('\r\n');
    const shown = crlf
      ? line.text.slice(0, -2)
      : line.text.endsWith('\n')
        ? line.text.slice(0, -1)
        : line.text;
    const bytes = Buffer.byteLength(shown) + overhead(number);
    const isLast = start.at + line.to >= source.size;
    const room = index === 0 && !isLast ? (limits.cutAtBytes ?? limits.maxBytes) : limits.maxBytes;
    if (used + bytes > room) break;
    used += bytes;
    rows.push({ line: number, text: shown, bytes, crlf, cut: false, start: position });
  }
  if (rows.length === 0 && limits.cutAtBytes !== undefined) {
    const { lossy } = scan.detected;
    return cutLine(codec, block, { start, lossy, maxBytes: limits.cutAtBytes });
  }
  const next = positionAfter(start, lines, rows.length);
  return { rows, next: next.at >= source.size ? null : next };
}

/** Bytes that so many lines of a text probably have; even, so that UTF-16 holds whole units. */
export function expectedBytes(scan: TextScan, lines: number): number {
  const average = scan.size / Math.max(scan.totalLines, 1);
  return 2 * Math.ceil((lines * average * 1.25) / 2) + 1_024;
}

interface BlockLine {
  readonly text: string;
  /** Bytes of the block. */
  readonly from: number;
  readonly to: number;
}

/** The whole lines of a block, with their endings. */
function splitBlock(
  codec: Codec,
  block: Buffer,
  limits: { readonly blockEnds: boolean; readonly maxLines: number },
): BlockLine[] {
  const borders: number[] = [0];
  while (borders.length <= limits.maxLines) {
    const from = borders.at(-1) ?? 0;
    if (from >= block.length) break;
    const end = nextLineEnd(block, from, codec.encoding);
    if (end < 0 && !limits.blockEnds) break;
    borders.push(end < 0 ? block.length : end);
  }
  const count = borders.length - 1;
  const text = codec.decode(block.subarray(0, borders.at(-1)));
  const texts = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  // A decoder that takes a newline for a part of an ill-formed character joins two lines: then each by itself.
  const isSplit = texts.length === count;
  return Array.from({ length: count }, (_, index) => {
    const [from = 0, to = 0] = borders.slice(index, index + 2);
    const line = isSplit ? texts[index] : codec.decode(block.subarray(from, to));
    return { text: line ?? '', from, to };
  });
}

function positionAfter(
  start: TextPosition,
  lines: readonly BlockLine[],
  count: number,
): TextPosition {
  if (count === 0) return start;
  const at = start.at + (lines[count - 1]?.to ?? 0);
  return { line: start.line + count, byte: at, at };
}

function cutLine(
  codec: Codec,
  block: Buffer,
  cut: { readonly start: TextPosition; readonly lossy: boolean; readonly maxBytes: number },
): TextWindow {
  const { start, lossy, maxBytes } = cut;
  const text = codec.decode(block);
  const room = maxBytes - overhead(start.line);
  let units = 0;
  let bytes = 0;
  for (const character of text) {
    const size = Buffer.byteLength(character);
    if (bytes + size > room) break;
    bytes += size;
    units += character.length;
  }
  if (units === 0) return { rows: [], next: start };
  const decoded = {
    bytes: block,
    bomLength: 0,
    text,
    codec,
    lossy: lossy || text.includes('\ufffd'),
  };
  const length = byteOffsetOf(decoded, units, { text: 0, byte: 0 });
  const row: WindowRow = {
    line: start.line,
    text: text.slice(0, units),
    bytes: bytes + overhead(start.line),
    crlf: false,
    cut: true,
    start,
  };
  return { rows: [row], next: { ...start, at: start.at + length } };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

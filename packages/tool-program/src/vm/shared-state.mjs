/**
 * The memory that the host and a worker share: a stop flag that reaches a guest in a loop, and the lines that it
 * wrote, which so outlive even a killed worker.
 *
 * Layout: two 32-bit integers (stop flag, bytes of log used), then entries of a level byte, a 32-bit little-endian
 * length and UTF-8 text.
 */
const headerBytes = 8;
const stopIndex = 0;
const usedIndex = 1;
const entryHeaderBytes = 5;

/** The levels of a line, by their byte. */
export const logLevels = /** @type {const} */ ([
  'log',
  'info',
  'warn',
  'error',
  'debug',
  'progress',
]);

/**
 * One line that a script wrote.
 * @typedef {object} LogLine
 * @property {typeof logLevels[number]} level
 * @property {string} text
 */

/**
 * @param {number} maxLogBytes
 * @returns {SharedArrayBuffer}
 */
export function createSharedState(maxLogBytes) {
  return new SharedArrayBuffer(headerBytes + maxLogBytes);
}

/** @param {SharedArrayBuffer} shared */
export function resetSharedState(shared) {
  const header = headerOf(shared);
  Atomics.store(header, usedIndex, 0);
  Atomics.store(header, stopIndex, 0);
}

/** @param {SharedArrayBuffer} shared */
export function requestStop(shared) {
  Atomics.store(headerOf(shared), stopIndex, 1);
}

/**
 * A function that tells whether the guest must stop; cheap enough to be polled.
 * @param {SharedArrayBuffer} shared
 * @returns {() => boolean}
 */
export function createStopProbe(shared) {
  const header = headerOf(shared);
  return () => Atomics.load(header, stopIndex) === 1;
}

/**
 * Writes a line, cut at a character where only a part fits. False when the buffer is full after it.
 * @param {SharedArrayBuffer} shared
 * @param {string} level
 * @param {string} text
 */
export function writeLogLine(shared, level, text) {
  const header = headerOf(shared);
  const used = Atomics.load(header, usedIndex);
  const room = shared.byteLength - headerBytes - used - entryHeaderBytes;
  if (room <= 0) return false;
  const start = headerBytes + used;
  // `encodeInto` ends at a whole character; it does not take shared memory everywhere, so it goes through a copy.
  const bytes = new Uint8Array(Math.min(room, text.length * 3));
  const { read, written } = new TextEncoder().encodeInto(text, bytes);
  const view = new DataView(shared);
  view.setUint8(
    start,
    Math.max(
      0,
      logLevels.findIndex((known) => known === level),
    ),
  );
  view.setUint32(start + 1, written, true);
  new Uint8Array(shared, start + entryHeaderBytes, written).set(bytes.subarray(0, written));
  Atomics.store(header, usedIndex, used + entryHeaderBytes + written);
  return read === text.length;
}

/**
 * Whether lines have been written since `from`.
 * @param {SharedArrayBuffer} shared
 * @param {number} from
 */
export function hasLogLines(shared, from) {
  return Atomics.load(headerOf(shared), usedIndex) > from;
}

/**
 * The lines written since `from` (0 for all), and where to go on.
 * @param {SharedArrayBuffer} shared
 * @param {number} from
 * @returns {{ lines: LogLine[], next: number }}
 */
export function readLogLines(shared, from) {
  const end = Atomics.load(headerOf(shared), usedIndex);
  const view = new DataView(shared);
  /** @type {LogLine[]} */
  const lines = [];
  let at = from;
  while (at < end) {
    const start = headerBytes + at;
    const length = view.getUint32(start + 1, true);
    const bytes = new Uint8Array(shared, start + entryHeaderBytes, length).slice();
    lines.push({
      level: logLevels[view.getUint8(start)] ?? 'log',
      text: new TextDecoder().decode(bytes),
    });
    at += entryHeaderBytes + length;
  }
  return { lines, next: at };
}

/** @param {SharedArrayBuffer} shared */
function headerOf(shared) {
  return new Int32Array(shared, 0, 2);
}

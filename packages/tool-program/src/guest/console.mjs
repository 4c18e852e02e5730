import { display, encode, headOf } from './encoding.mjs';

/** UTF-16 units of one line that are handed over; the host counts bytes and cuts for good. */
const maxLineUnits = 65_536;

/**
 * The console of a script. Lines past the host's cap are counted, not kept: a flood costs no memory and little time.
 * @param {(level: string, text: string) => boolean} sink Takes a line; false once the host's buffer is full.
 */
export function createConsole(sink) {
  let dropped = 0;
  let full = false;

  /**
   * @param {string} level
   * @param {readonly unknown[]} values
   */
  function write(level, values) {
    if (!full) {
      let text = '';
      for (let i = 0; i < values.length; i += 1) text += (i === 0 ? '' : ' ') + display(values[i]);
      if (text.length > maxLineUnits) text = `${headOf(text, maxLineUnits)}…`;
      full = !sink(level, text);
    }
    if (full) dropped += 1;
  }

  /**
   * @param {string} level
   * @returns {(...values: unknown[]) => void}
   */
  const at =
    (level) =>
    (...values) =>
      write(level, values);
  const log = at('log');
  return {
    log,
    console: Object.freeze({
      log,
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      debug: at('debug'),
    }),
    /** @param {unknown} step A message, or `{ message, current, total, data }`. */
    progress: (step) =>
      write('progress', [encode(typeof step === 'string' ? { message: step } : step)]),
    /** How many lines were not kept. */
    droppedLines: () => dropped,
  };
}

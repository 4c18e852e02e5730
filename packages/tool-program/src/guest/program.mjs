import { createCalls, ToolError } from './calls.mjs';
import { createConsole } from './console.mjs';
import { createContext } from './context.mjs';
import { decode, describeError, encode, headOf } from './encoding.mjs';
import { createRandom } from './random.mjs';

const { now } = Date;
const engineClock = performance;

/**
 * What the host gives a program when it starts.
 * @typedef {object} StartSettings
 * @property {unknown} inputs
 * @property {readonly string[]} tools
 * @property {number} maxCalls
 * @property {number} maxOutputBytes
 * @property {readonly number[]} seed Four 32-bit integers, not all zero.
 */

/**
 * Everything of ours in one VM; called once, before any line of the script is there. The script reaches none of it but
 * through what it is handed.
 * @param {(level: string, text: string) => boolean} log Takes a line; false once the host's buffer is full.
 */
export function createProgram(log) {
  const lines = createConsole(log);
  const calls = createCalls();
  /** @type {StartSettings} */
  let settings = { inputs: {}, tools: [], maxCalls: 0, maxOutputBytes: 0, seed: [1, 0, 0, 0] };
  const context = createContext({
    tool: calls.tool,
    lookUp: calls.lookUp,
    log: lines.log,
    progress: lines.progress,
    names: () => settings.tools,
    maxOutputBytes: () => settings.maxOutputBytes,
  });
  let startedAt = 0;
  let hasReturned = false;
  // The engine's own tells when the image was made, not when the script began.
  const clock = Object.freeze({
    now: () => engineClock.now(),
    get timeOrigin() {
      return startedAt;
    },
  });
  // The globals that scripts expect; everything else comes through ctx.
  Object.assign(globalThis, { console: lines.console, performance: clock, ToolError });
  // The engine lets nobody catch these: with the constructor a script could pass for one that ran out of memory.
  Reflect.deleteProperty(globalThis, 'InternalError');

  return {
    /**
     * Before the script's module is evaluated.
     * @param {string} json
     */
    prepare: (json) => {
      // Written by the host from typed settings.
      settings = /** @type {StartSettings} */ (decode(json));
      calls.allow(settings.maxCalls);
      Math.random = createRandom(settings.seed);
      startedAt = now();
    },
    /**
     * Calls the script's entry; the promise is for the value as JSON.
     * @param {(ctx: unknown, inputs: unknown) => unknown} run
     */
    start: async (run) => {
      const value = await run(context, settings.inputs);
      hasReturned = true;
      return encode(value);
    },
    take: () => calls.take(lines.droppedLines()),
    /** @param {string} json */
    deliver: (json) => calls.deliver(json),
    /**
     * What was thrown, as JSON of bounded strings, and whether that was after the script had returned: by its value.
     * @param {unknown} thrown
     */
    describe: (thrown) => {
      const { name, message, stack } = describeError(thrown);
      return encode({
        name: headOf(name, 256),
        message: headOf(message, 8192),
        stack: headOf(stack, 8192),
        hasReturned,
      });
    },
  };
}

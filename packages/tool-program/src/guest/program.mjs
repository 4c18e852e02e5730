import { createCalls, ToolError } from './calls.mjs';
import { createConsole } from './console.mjs';
import { createContext } from './context.mjs';
import { decode, describeError, encode } from './encoding.mjs';
import { createRandom } from './random.mjs';

/** @import { HostBridge } from './calls.mjs' */

/**
 * What the host gives a program when it starts.
 * @typedef {object} StartSettings
 * @property {unknown} inputs
 * @property {readonly string[]} tools
 * @property {number} maxOutputBytes
 * @property {readonly number[]} seed Four 32-bit integers, not all zero.
 */

/**
 * Everything of ours in one VM; called once, before any line of the script is there.
 * @param {HostBridge} host
 */
export function createProgram(host) {
  const calls = createCalls(host);
  const lines = createConsole(host.log);
  // The globals that scripts expect; everything else comes through ctx.
  Object.assign(globalThis, { console: lines.console, ToolError });
  // The engine lets nobody catch these: with the constructor a script could pass for one that ran out of memory.
  Reflect.deleteProperty(globalThis, 'InternalError');
  /** @type {StartSettings} */
  let settings = { inputs: {}, tools: [], maxOutputBytes: 65_536, seed: [1, 0, 0, 0] };

  return {
    /**
     * Before the script's module is evaluated.
     * @param {string} json
     */
    prepare: (json) => {
      // Written by the worker from typed settings.
      settings = /** @type {StartSettings} */ (decode(json));
      Math.random = createRandom(settings.seed);
    },
    /**
     * Calls the script's entry; the promise is for `v` and the value as JSON.
     * @param {(ctx: unknown, inputs: unknown) => unknown} run
     */
    start: async (run) => {
      const context = createContext({
        tool: calls.tool,
        lookUp: calls.lookUp,
        log: lines.log,
        progress: lines.progress,
        names: settings.tools,
        maxOutputBytes: settings.maxOutputBytes,
      });
      return encode(await run(context, settings.inputs));
    },
    deliver: calls.deliver,
    droppedLines: lines.droppedLines,
    /**
     * What was thrown, as JSON of bounded strings.
     * @param {unknown} thrown
     */
    describe: (thrown) => {
      const { name, message, stack } = describeError(thrown);
      return encode({
        name: name.slice(0, 256),
        message: message.slice(0, 8192),
        stack: stack.slice(0, 8192),
      });
    },
  };
}

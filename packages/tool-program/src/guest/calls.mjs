import { decode, encode } from './encoding.mjs';

const PromiseOf = Promise;
const RangeErrorOf = RangeError;
const { captureStackTrace } = Error;

/**
 * What the host's answer means where it is no call id.
 * @type {Record<string, readonly [reason: string, message: string]>}
 */
const refusals = {
  '-1': ['call_limit', 'The program has made all the calls that limits.maxToolCalls allows.'],
  '-2': ['arguments_too_large', 'The arguments of a call may have 1,048,576 characters of JSON.'],
  '-3': ['too_much_in_flight', 'Too much data is on its way; await earlier calls first.'],
  '-4': ['arguments_too_deep', 'The arguments of a call may nest 256 levels deep.'],
};

/**
 * What the worker hands to the VM; never reachable by the script itself.
 * @typedef {object} HostBridge
 * @property {(kind: 'tool' | 'catalog', name: string, json: string) => number} call
 *   Asks the host; the id under which the answer will come, or why not.
 * @property {(level: string, text: string) => boolean} log
 */

/**
 * The metadata that our own code looks at; the rest is for the script.
 * @typedef {object} RecordMetadata
 * @property {{ next_cursor?: string | null }} [range]
 * @property {{ next_cursor?: string | null, returned_items?: number }} [page]
 * @property {string[]} [source_anchors]
 * @property {unknown[]} [entries]
 */

/**
 * What a script gets for a call. `ok` is `exitCode === 0` and no error.
 * @typedef {object} CallRecord
 * @property {string} name
 * @property {boolean} ok
 * @property {string} output
 * @property {boolean} truncated
 * @property {string} text
 * @property {0 | 1} exitCode
 * @property {{ type: string, reason?: string, stage: string, message: string, retryable: boolean } | null} error
 * @property {RecordMetadata} metadata
 * @property {unknown} [structured]
 * @property {'workspace_data' | 'external' | 'trusted'} trust
 */

/** Thrown for a failed call where the script asked for exceptions; `record` is what it would have got. */
export class ToolError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'ToolError';
    this.type = 'internal';
    /** @type {string | undefined} */
    this.reason = undefined;
    /** @type {CallRecord | undefined} */
    this.record = undefined;
  }
}

/**
 * The way out of the VM: JSON text out, JSON text in, matched by number.
 * @param {HostBridge} host
 */
export function createCalls(host) {
  /** @type {Record<number, (json: string) => void>} */
  const waiting = Object.create(null);

  /** @param {number} id */
  async function answerTo(id) {
    return decode(
      await new PromiseOf((resolve) => {
        waiting[id] = resolve;
      }),
    );
  }

  /**
   * @param {string} name
   * @param {unknown} args
   * @param {{ throwOnError?: unknown }} [options]
   * @returns {Promise<CallRecord>}
   */
  async function tool(name, args, options) {
    if (typeof name !== 'string') throw new TypeError('The name of a tool must be a string.');
    const json = encode(args ?? {});
    // Made now: the stack of an answer that comes later no longer holds the script's line.
    const failure = options?.throwOnError === true ? new ToolError('') : undefined;
    if (failure !== undefined) captureStackTrace(failure, tool);
    const id = host.call('tool', name, json);
    // The host answers a tool call with a record.
    const record = /** @type {CallRecord} */ (id < 0 ? refusal(name, id) : await answerTo(id));
    if (failure === undefined || record.ok) return record;
    failure.message = record.error?.message ?? `${name} ended with exit code ${record.exitCode}.`;
    failure.type = record.error?.type ?? 'internal';
    failure.reason = record.error?.reason;
    failure.record = record;
    throw failure;
  }

  return {
    tool,
    /**
     * Looks something up in the catalogue. Throws when the program has looked too often.
     * @param {string} query
     * @param {unknown} args
     */
    lookUp: async (query, args) => {
      const id = host.call('catalog', query, encode(args));
      if (id < 0) throw new RangeErrorOf('The program has looked into the catalogue too often.');
      return answerTo(id);
    },
    /**
     * Hands an answer to whoever waits for it.
     * @param {number} id
     * @param {string} json
     */
    deliver: (id, json) => {
      const resolve = waiting[id];
      delete waiting[id];
      resolve?.(json);
    },
  };
}

/**
 * The record of a call that never left the VM.
 * @param {string} name
 * @param {number} code
 * @returns {CallRecord}
 */
function refusal(name, code) {
  const [reason, message] = refusals[code] ?? ['refused', 'The call was refused.'];
  return {
    name,
    ok: false,
    output: `limit_exceeded: ${message}`,
    truncated: false,
    text: '',
    exitCode: 1,
    error: { type: 'limit_exceeded', reason, stage: 'guard', message, retryable: false },
    metadata: {},
    trust: 'trusted',
  };
}

import { decode, encode } from './encoding.mjs';

const PromiseOf = Promise;
const RangeErrorOf = RangeError;
const TypeErrorOf = TypeError;
const { captureStackTrace } = Error;

/** Characters of the arguments of one call, as JSON. */
const maxArgumentUnits = 1_048_576;
/** Characters of arguments whose calls have no answer yet. */
const maxUnitsInFlight = 8_388_608;
/** Characters of a name; no tool has more than 64. */
const maxNameUnits = 256;
/** Looks into the catalogue that a script may take. */
const maxLookups = 100;

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
 * @property {number} outputBytes
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
 * The way out of the VM. Calls gather here as text until the host takes them, all at once: crossing costs more than
 * making them. Nothing here touches what a script can replace.
 */
export function createCalls() {
  /** @type {Record<number, { resolve: (answer: unknown) => void, units: number }>} */
  const waiting = Object.create(null);
  let maxCalls = 0;
  let gathered = '';
  let gatheredCount = 0;
  let nextId = 0;
  let toolCalls = 0;
  let refusedCalls = 0;
  let lookups = 0;
  let unitsInFlight = 0;

  /**
   * @param {'tool' | 'catalog'} kind
   * @param {string} name
   * @param {string} json
   * @returns {Promise<unknown>}
   */
  function send(kind, name, json) {
    return new PromiseOf((resolve) => {
      gathered += `${gathered === '' ? '' : ','}["${kind}",${encode(name)},${json}]`;
      gatheredCount += 1;
      unitsInFlight += json.length;
      waiting[nextId] = { resolve, units: json.length };
      nextId += 1;
    });
  }

  /**
   * Why a call cannot be made, as `reason` and message.
   * @param {string} name
   * @param {string} json
   * @returns {readonly [string, string] | undefined}
   */
  function refusalOf(name, json) {
    if (toolCalls >= maxCalls) {
      refusedCalls += 1;
      return ['call_limit', 'The program has made all the calls that limits.maxToolCalls allows.'];
    }
    if (json.length > maxArgumentUnits || name.length > maxNameUnits) {
      return [
        'arguments_too_large',
        'The arguments of a call may have 1,048,576 characters of JSON, its name 256.',
      ];
    }
    if (unitsInFlight + json.length > maxUnitsInFlight) {
      return ['too_much_in_flight', 'Too much data is on its way; await earlier calls first.'];
    }
    return undefined;
  }

  /**
   * @param {string} name
   * @param {unknown} args
   * @returns {Promise<CallRecord>}
   */
  function call(name, args) {
    if (typeof name !== 'string') throw new TypeErrorOf('The name of a tool must be a string.');
    const json = encode(args ?? {});
    const refusal = refusalOf(name, json);
    if (refusal !== undefined) {
      return new PromiseOf((resolve) => {
        resolve(toRefusedRecord(name, refusal));
      });
    }
    toolCalls += 1;
    // The host answers a call of a tool with a record.
    return /** @type {Promise<CallRecord>} */ (send('tool', name, json));
  }

  /**
   * @param {string} name
   * @param {unknown} args
   * @returns {Promise<CallRecord>}
   */
  async function callOrThrow(name, args) {
    // Made now: the stack of an answer that comes later no longer holds the script's line.
    const failure = new ToolError('');
    captureStackTrace(failure, tool);
    const record = await call(name, args);
    if (record.ok) return record;
    failure.message = record.error?.message ?? `${name} ended with exit code ${record.exitCode}.`;
    failure.type = record.error?.type ?? 'internal';
    failure.reason = record.error?.reason;
    failure.record = record;
    throw failure;
  }

  /**
   * @param {string} name
   * @param {unknown} [args]
   * @param {{ throwOnError?: unknown }} [options]
   * @returns {Promise<CallRecord>}
   */
  function tool(name, args, options) {
    try {
      return options?.throwOnError === true ? callOrThrow(name, args) : call(name, args);
    } catch (error) {
      return new PromiseOf((_, reject) => {
        reject(error);
      });
    }
  }

  return {
    /** @param {number} count How many tools the script may call, one time with another. */
    allow: (count) => {
      maxCalls = count;
    },
    tool,
    /**
     * Looks something up in the catalogue. Throws when the program has looked too often.
     * @param {string} query
     * @param {unknown} args
     */
    lookUp: async (query, args) => {
      const json = encode(args);
      if (lookups >= maxLookups || json.length > maxArgumentUnits) {
        throw new RangeErrorOf(
          'The program has looked into the catalogue too often, or for too much.',
        );
      }
      lookups += 1;
      return send('catalog', query, json);
    },
    /**
     * The calls made since the last time: how many they are, how many were refused and how many lines dropped in all,
     * then the list as JSON.
     * @param {number} droppedLines
     * @returns {string}
     */
    take: (droppedLines) => {
      const taken = `${gatheredCount} ${refusedCalls} ${droppedLines}\n[${gathered}]`;
      gathered = '';
      gatheredCount = 0;
      return taken;
    },
    /**
     * Hands answers to whoever waits for them: a JSON list of `[id, answer]`.
     * @param {string} json
     */
    deliver: (json) => {
      // Written by the host.
      const answers = /** @type {[number, unknown][]} */ (decode(json));
      for (let i = 0; i < answers.length; i += 1) {
        // By index: a script may have replaced the iterator.
        const entry = answers[i];
        const id = entry?.[0] ?? -1;
        const call = waiting[id];
        if (call === undefined) continue;
        delete waiting[id];
        unitsInFlight -= call.units;
        call.resolve(entry?.[1]);
      }
    },
  };
}

/**
 * The record of a call that never left the VM.
 * @param {string} name
 * @param {readonly [reason: string, message: string]} refusal
 * @returns {CallRecord}
 */
function toRefusedRecord(name, refusal) {
  const reason = refusal[0];
  const message = refusal[1];
  return {
    name,
    ok: false,
    output: `limit_exceeded: ${message}`,
    truncated: false,
    outputBytes: 0,
    text: '',
    exitCode: 1,
    error: { type: 'limit_exceeded', reason, stage: 'guard', message, retryable: false },
    metadata: {},
    trust: 'trusted',
  };
}

import { isTooDeep } from './json-depth.mjs';
import { writeLogLine } from './shared-state.mjs';

/** @import { JSValueHandle, QuickJS } from 'quickjs-wasi' */
/** @import { VmCall } from './messages.ts' */

/** UTF-16 units of the arguments of one call. */
const maxArgumentUnits = 1_048_576;
/** UTF-16 units of arguments whose calls have no answer yet. */
const maxUnitsInFlight = 8_388_608;
/** UTF-16 units of one line; the guest cuts at the same place. */
const maxLineUnits = 65_537;
const maxNameUnits = 256;
/** Looks into the catalogue that a script may take. */
const maxLookups = 100;
/** What the guest gets instead of a call id. */
const refusal = { callLimit: -1, tooLarge: -2, tooMuchInFlight: -3, tooDeep: -4 };

/**
 * The two functions through which a guest reaches the outside. They take only short strings, count what is on its way
 * and never throw: an error of the host would carry its stack into the guest.
 */
export class GuestBridge {
  /** @type {VmCall[]} */
  #outgoing = [];
  /** Units of the arguments of calls without an answer, by call id. @type {Map<number, number>} */
  #inFlight = new Map();
  #unitsInFlight = 0;
  #nextId = 0;
  #toolCalls = 0;
  #lookups = 0;
  /** @type {JSValueHandle | undefined} */
  #lastId;
  /** Calls of tools that the script may make. */
  maxCalls = 0;
  /** Calls beyond that number. */
  refusedCalls = 0;

  /**
   * @param {SharedArrayBuffer} shared
   * @param {() => void} onLogged
   */
  constructor(shared, onLogged) {
    this.shared = shared;
    this.onLogged = onLogged;
  }

  /** Calls that wait for an answer. */
  get callsInFlight() {
    return this.#inFlight.size;
  }

  /** Calls made since the last time, taken. */
  takeCalls() {
    const calls = this.#outgoing;
    this.#outgoing = [];
    return calls;
  }

  /** @param {number} id */
  answered(id) {
    this.#unitsInFlight -= this.#inFlight.get(id) ?? 0;
    this.#inFlight.delete(id);
  }

  /**
   * The object that our guest code gets, with `call` and `log`.
   * @param {QuickJS} vm
   * @returns {JSValueHandle}
   */
  toHandle(vm) {
    const host = vm.newObject();
    vm.newFunction('call', (kind, name, json) => {
      this.#lastId?.dispose();
      this.#lastId = vm.newNumber(this.#call(kind, name, json));
      return this.#lastId;
    }).consume((handle) => host.setProp('call', handle));
    vm.newFunction('log', (level, text) => (this.#log(level, text) ? vm.true : vm.false)).consume(
      (handle) => host.setProp('log', handle),
    );
    return host;
  }

  /**
   * @param {JSValueHandle | undefined} kind
   * @param {JSValueHandle | undefined} name
   * @param {JSValueHandle | undefined} json
   */
  #call(kind, name, json) {
    const isLookup = readText(kind, maxNameUnits) === 'catalog';
    if (isLookup ? this.#lookups >= maxLookups : this.#toolCalls >= this.maxCalls) {
      if (!isLookup) this.refusedCalls += 1;
      return refusal.callLimit;
    }
    const nameText = readText(name, maxNameUnits);
    const units = json?.isString === true ? json.length : Number.POSITIVE_INFINITY;
    if (nameText === undefined || units > maxArgumentUnits) return refusal.tooLarge;
    if (this.#unitsInFlight + units > maxUnitsInFlight) return refusal.tooMuchInFlight;
    const jsonText = readText(json, maxArgumentUnits);
    if (jsonText === undefined) return refusal.tooLarge;
    if (isTooDeep(jsonText)) return refusal.tooDeep;
    const id = this.#nextId;
    this.#nextId += 1;
    if (isLookup) this.#lookups += 1;
    else this.#toolCalls += 1;
    this.#inFlight.set(id, units);
    this.#unitsInFlight += units;
    this.#outgoing.push({
      id,
      kind: isLookup ? 'catalog' : 'tool',
      name: nameText,
      json: jsonText,
    });
    return id;
  }

  /**
   * @param {JSValueHandle | undefined} level
   * @param {JSValueHandle | undefined} text
   */
  #log(level, text) {
    const levelText = readText(level, maxNameUnits);
    const line = readText(text, maxLineUnits);
    if (levelText === undefined || line === undefined) return false;
    const room = writeLogLine(this.shared, levelText, line);
    this.onLogged();
    return room;
  }
}

/**
 * The text of a string of at most `maxUnits` UTF-16 units; undefined for anything else, which is never converted:
 * conversion would run the guest.
 * @param {JSValueHandle | undefined} handle
 * @param {number} maxUnits
 * @returns {string | undefined}
 */
export function readText(handle, maxUnits) {
  if (handle === undefined || !handle.isString) return undefined;
  const units = handle.length;
  if (units > maxUnits) return undefined;
  const text = handle.toString();
  // The engine answers a failed copy with a placeholder.
  return text.length === units ? text : undefined;
}

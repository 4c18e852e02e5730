import { isTooDeep, maxJsonDepth } from './json-depth.mjs';
import { readText } from './guest-text.mjs';
import { stripTypes } from './strip-types.mjs';
import { toEndOfException, toEndOfRejection, toScriptError } from './script-failure.mjs';

/** @import { JSValueHandle } from 'quickjs-wasi' */
/** @import { GuestVm } from './guest-vm.mjs' */
/** @import { VmAnswer, VmEnd, VmJob } from './messages.ts' */

const entryMessage =
  'A program must define its entry: `export default async function run(ctx, inputs) { … }`.';
/** A name that tells us of a plain `function run` too; it stands after the last line of the script. */
const entryName = 'toolwright$entry';

/** One script in its VM, from loading to its end. */
export class ScriptRun {
  #vm;
  #job;
  #postCalls;
  #nowMs;
  /** @type {JSValueHandle | undefined} */
  #main;
  /** The worker must not be used for another script. */
  isPoisoned = false;

  /**
   * @param {GuestVm} vm
   * @param {VmJob} job
   * @param {(calls: string) => void} postCalls
   */
  constructor(vm, job, postCalls) {
    this.#vm = vm;
    this.#job = job;
    this.#postCalls = postCalls;
    this.#nowMs = job.startMs;
  }

  /**
   * Loads the script and runs it until it ends or waits; undefined when it waits for answers.
   * @returns {Promise<VmEnd | undefined>}
   */
  async begin() {
    const source = await this.#toJavaScript();
    if (typeof source !== 'string') return source;
    const startedAt = performance.now();
    this.#vm.prepare(
      this.#job,
      this.#job.steadyClock
        ? () => this.#nowMs
        : () => this.#job.startMs + performance.now() - startedAt,
    );
    return this.#guarded('syntax', () => this.#load(source));
  }

  /**
   * Hands over answers. Under a steady clock what the script does after each is done before the next, so that their
   * order alone decides what it sees.
   * @param {readonly VmAnswer[]} answers
   * @returns {Promise<VmEnd | undefined>}
   */
  async answer(answers) {
    return this.#guarded('uncaught', () => {
      if (this.#job.steadyClock) {
        for (const { id, json, nowMs } of answers) {
          this.#nowMs = nowMs;
          this.#vm.deliver(`[[${id},${json}]]`, 1);
          this.#vm.drain();
        }
      } else {
        const all = answers.map(({ id, json }) => `[${id},${json}]`);
        this.#vm.deliver(`[${all.join(',')}]`, all.length);
      }
      return this.#advance();
    });
  }

  /** @returns {Promise<string | VmEnd>} */
  async #toJavaScript() {
    if (this.#job.language === 'javascript') return this.#job.source;
    const stripped = await stripTypes(this.#job.source);
    if ('code' in stripped) return stripped.code;
    this.isPoisoned = stripped.poisoned;
    return toScriptError('syntax', stripped.failure.message, stripped.failure);
  }

  /**
   * @param {string} source
   * @returns {Promise<VmEnd | undefined>}
   */
  async #load(source) {
    const loading = this.#vm.evaluate(
      `${source}\n;export const ${entryName} = typeof run === 'function' ? run : undefined;`,
      this.#job.fileName,
    );
    this.#vm.drain();
    if (loading.promiseState === 0) return this.#deadlock();
    const loaded = await this.#vm.settled(loading);
    if ('error' in loaded) return this.#rejected(loaded.error);
    const entry = [loaded.value.getProp('default'), loaded.value.getProp(entryName)].find(
      (handle) => handle.isFunction,
    );
    if (entry === undefined) return toScriptError('no_entry', entryMessage);
    return this.#guarded('uncaught', () => {
      this.#main = this.#vm.start(entry);
      return this.#advance();
    });
  }

  /** @returns {Promise<VmEnd | undefined>} */
  async #advance() {
    this.#vm.drain();
    const main = this.#main;
    const settled =
      main === undefined || main.promiseState === 0 ? undefined : await this.#vm.settled(main);
    // Calls of the last breath are not made: nobody would hear of them.
    if (settled !== undefined && 'error' in settled) return this.#rejected(settled.error);
    const calls = this.#vm.takeCalls();
    if (calls === undefined) return { type: 'out_of_memory' };
    // Calls that nobody awaits are finished too, as they would be in Node.
    if (this.#vm.callsInFlight > 0) {
      this.#postCalls(calls);
      return undefined;
    }
    return settled === undefined ? this.#deadlock() : this.#returned(settled.value);
  }

  /**
   * @param {JSValueHandle} value
   * @returns {VmEnd}
   */
  #returned(value) {
    const maxBytes = this.#job.maxResultBytes;
    if (value.length > maxBytes) return { type: 'result_too_large', bytes: value.length };
    const json = readText(value, maxBytes);
    if (json === undefined) return { type: 'out_of_memory' };
    if (isTooDeep(json)) {
      return toScriptError(
        'result',
        `What the program returned nests deeper than ${maxJsonDepth} levels.`,
      );
    }
    const bytes = Buffer.byteLength(json);
    return bytes > maxBytes ? { type: 'result_too_large', bytes } : { type: 'success', json };
  }

  /** @param {JSValueHandle} thrown */
  #rejected(thrown) {
    return toEndOfRejection(thrown, { vm: this.#vm, job: this.#job, reason: 'uncaught' });
  }

  #deadlock() {
    return toScriptError(
      'deadlock',
      'The program is waiting for a promise that nothing can settle: no call is in flight and nothing is left to run.',
    );
  }

  /**
   * @param {'syntax' | 'uncaught'} reason What an ordinary exception means at this point.
   * @param {() => Promise<VmEnd | undefined>} step
   * @returns {Promise<VmEnd | undefined>}
   */
  async #guarded(reason, step) {
    try {
      return await step();
    } catch (error) {
      // Native frames of the engine were cut off in the middle: this thread's stack is known to be too small for it.
      this.isPoisoned ||= error instanceof RangeError;
      return toEndOfException(error, { vm: this.#vm, job: this.#job, reason });
    }
  }
}

import { EvalFlags, JSValueHandle, QuickJS } from 'quickjs-wasi';
import { logFunction, stackBytes } from './guest-settings.mjs';
import { readText } from './guest-text.mjs';
import { createStopProbe, writeLogLine } from './shared-state.mjs';
import { createSystemCalls } from './system-calls.mjs';

/** @import { JSException } from 'quickjs-wasi' */
/** @import { Engine } from './engine.ts' */
/** @import { GuestHandle, GuestImage } from './guest-image.mjs' */
/** @import { VmJob, WorkerSettings } from './messages.ts' */

const wasmPageBytes = 65_536;
const maxDescriptionUnits = 65_536;
/** UTF-16 units of one line; the guest cuts at the same place. */
const maxLineUnits = 65_537;

/** Thrown through the guest's frames, where nothing of the guest can catch it; only `reset` helps the VM afterwards. */
export class GuestStopped extends Error {
  /** @override */
  name = 'GuestStopped';
}

/** A refused import, as the guest sees it: without a stack, which would show it paths of the host. */
class ImportRefused extends Error {
  /** @override */
  name = 'ImportError';
  /** @override */
  stack = '';
}

/** What a VM and the functions that it was made with share. */
class GuestState {
  /** Milliseconds since 1970, for the script. */
  clock = () => 0;
  startMs = 0;
  /** @type {string | null} */
  refusedImport = null;

  /**
   * Our own modules are in the image: every import is the script's.
   * @param {string} _base
   * @param {string} specifier
   * @returns {never}
   */
  refuseImport = (_base, specifier) => {
    this.refusedImport = specifier;
    throw new ImportRefused(
      `import ${JSON.stringify(specifier.slice(0, 200))} is refused: a program has no modules; use ctx.`,
    );
  };
}

/**
 * A VM for one script after the other, made from an image that has our guest code loaded. Between two of them all of its
 * memory that is alive is put back to the image: nothing that a script does can reach the next one.
 */
export class GuestVm {
  #vm;
  #state;
  #memoryLimit;
  #image;
  /** @type {Record<GuestHandle, JSValueHandle>} */
  #guest;
  /** Calls that wait for an answer. */
  callsInFlight = 0;
  /** Calls beyond the limit, when calls were last taken. */
  refusedCalls = 0;
  /** Lines that were not kept, then. */
  droppedLines = 0;

  /**
   * @param {WorkerSettings} settings
   * @param {Engine} engine
   * @param {() => void} onLogged
   */
  static async create(settings, { module, image }, onLogged) {
    const mustStop = createStopProbe(settings.shared);
    const state = new GuestState();
    const { memoryBytes, stackPointer, runtimePtr, contextPtr } = image;
    const vm = await QuickJS.restore(
      // The memory is put in by `reset`: a copy of all of it would touch pages that most scripts never need.
      { memory: new Uint8Array(0), stackPointer, runtimePtr, contextPtr, extensions: [] },
      {
        wasm: module,
        memoryLimit: settings.memoryBytes,
        maxStackSize: stackBytes,
        timezoneOffset: 0,
        interruptHandler: () => {
          if (mustStop()) throw new GuestStopped();
          return false;
        },
        moduleLoader: { normalize: state.refuseImport, load: () => '' },
        wasi: (/** @type {WebAssembly.Memory} */ memory) => createSystemCalls(memory, state),
      },
    );
    const memory = vm._getMemory();
    memory.grow((memoryBytes - memory.buffer.byteLength) / wasmPageBytes);
    const guestVm = new GuestVm(vm, { image, state, memoryLimit: settings.memoryBytes });
    guestVm.reset();
    const { true: yes, false: no } = guestVm.#guest;
    // The one host function that a guest calls. It never throws: an error of the host would carry its stack inside.
    vm.registerHostCallback(logFunction, (level, text) => {
      const line = readText(text, maxLineUnits);
      if (line === undefined) return no;
      const room = writeLogLine(settings.shared, readText(level, maxLineUnits) ?? '', line);
      onLogged();
      return room ? yes : no;
    });
    return guestVm;
  }

  /**
   * @param {QuickJS} vm
   * @param {{ image: GuestImage, state: GuestState, memoryLimit: number }} parts
   */
  constructor(vm, { image, state, memoryLimit }) {
    this.#vm = vm;
    this.#image = image;
    this.#state = state;
    this.#memoryLimit = memoryLimit;
    // They lie in the image and are never freed: good for every script.
    const handles = Object.entries(image.handles).map(([name, ptr]) => [
      name,
      new JSValueHandle(vm, ptr, true),
    ]);
    // One entry for each name of the image.
    this.#guest = /** @type {Record<GuestHandle, JSValueHandle>} */ (Object.fromEntries(handles));
  }

  /**
   * Puts the VM back to its image, whatever the last script came to. False when it cannot be: its memory has grown, and
   * the engine would not find its end again.
   */
  reset() {
    const { memoryBytes, parts, stackPointer } = this.#image;
    if (this.memoryBytes !== memoryBytes) return false;
    const memory = new Uint8Array(this.#vm._getMemory().buffer);
    for (const { at, bytes } of parts) memory.set(bytes, at);
    const exports = this.#vm._getExports();
    exports.__stack_pointer.value = stackPointer;
    exports.qjs_set_memory_limit(this.#memoryLimit);
    this.#state.refusedImport = null;
    this.callsInFlight = 0;
    this.refusedCalls = 0;
    this.droppedLines = 0;
    return true;
  }

  /** The specifier of the last import that was refused. */
  get refusedImport() {
    return this.#state.refusedImport;
  }

  /** Bytes of memory that the VM has taken. */
  get memoryBytes() {
    return this.#vm._getMemory().buffer.byteLength;
  }

  /** Whether next to nothing of the memory that the VM may have is left. */
  get isExhausted() {
    return this.memoryBytes > 0.9 * this.#memoryLimit;
  }

  /**
   * Everything that a script has before its first line.
   * @param {VmJob} job
   * @param {() => number} clock Milliseconds since 1970, for the script.
   */
  prepare(job, clock) {
    this.#state.clock = clock;
    this.#state.startMs = job.startMs;
    this.#call('prepare', this.#vm.newString(job.settings)).dispose();
  }

  /**
   * Evaluates a module; the handle is a promise of its namespace.
   * @param {string} source
   * @param {string} fileName
   */
  evaluate(source, fileName) {
    return this.#vm.evalCode(source, fileName, EvalFlags.TYPE_MODULE);
  }

  /**
   * Calls the script's entry; the handle is a promise of JSON text.
   * @param {JSValueHandle} run Disposed by this call.
   */
  start(run) {
    return this.#call('start', run);
  }

  /** Runs until the guest has nothing left to do without an answer. */
  drain() {
    this.#vm.executePendingJobs();
  }

  /**
   * The calls made since the last time, as a JSON list. Undefined when the guest has no memory left to tell them.
   * @returns {string | undefined}
   */
  takeCalls() {
    const taken = this.#call('take').consume((handle) => handle.toString());
    const end = taken.indexOf('\n');
    if (end < 0) return undefined;
    const [made = 0, refused = 0, dropped = 0] = taken.slice(0, end).split(' ').map(Number);
    this.callsInFlight += made;
    this.refusedCalls = refused;
    this.droppedLines = dropped;
    return taken.slice(end + 1);
  }

  /**
   * Hands answers to the calls that wait for them.
   * @param {string} json A list of `[id, answer]`.
   * @param {number} count How many they are.
   */
  deliver(json, count) {
    this.callsInFlight -= count;
    this.#call('deliver', this.#vm.newString(json)).dispose();
  }

  /**
   * What a promise has come to; only for one that is not pending.
   * @param {JSValueHandle} promise
   */
  async settled(promise) {
    return this.#vm.resolvePromise(promise);
  }

  /**
   * What was thrown, as JSON of strings; undefined where even that fails.
   * @param {JSValueHandle} thrown
   */
  describe(thrown) {
    return this.#call('describe', thrown.dup()).consume((handle) =>
      readText(handle, maxDescriptionUnits),
    );
  }

  /**
   * Whether the engine itself ended the script: memory, or a string past its bound. Scripts cannot make such an error.
   * @param {JSException} exception
   */
  isFatal(exception) {
    return this.#vm._getExports().qjs_is_uncatchable_error(exception.handle.ptr) !== 0;
  }

  dispose() {
    this.#vm.dispose();
  }

  /**
   * @param {GuestHandle} name
   * @param {JSValueHandle[]} args Disposed by this call.
   */
  #call(name, ...args) {
    try {
      return this.#vm.callFunction(this.#guest[name], this.#guest.undefined, ...args);
    } finally {
      for (const handle of args) handle.dispose();
    }
  }
}

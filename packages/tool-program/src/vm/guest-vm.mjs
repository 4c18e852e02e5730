import { EvalFlags, Intrinsics, QuickJS } from 'quickjs-wasi';
import { guestEntry, guestModules, toGuestModule } from './guest-modules.mjs';
import { readText } from './guest-text.mjs';
import { createStopProbe, writeLogLine } from './shared-state.mjs';
import { createSystemCalls } from './system-calls.mjs';

/** @import { JSException, JSValueHandle } from 'quickjs-wasi' */
/** @import { VmJob, WorkerSettings } from './messages.ts' */
/** @typedef {typeof guestFunctions[number]} GuestFunction */

/** Bytes of native stack; the binary has 1 MiB, half of which is headroom for the engine's own frames. */
const stackBytes = 512 * 1024;
const maxDescriptionUnits = 65_536;
/** UTF-16 units of one line; the guest cuts at the same place. */
const maxLineUnits = 65_537;
/** Bytes of memory that a script may use before its VM has to be made anew instead of being wound back. */
const reusableBytes = 1024 * 1024;
/** What our guest code offers. */
const guestFunctions = /** @type {const} */ (['prepare', 'start', 'take', 'deliver', 'describe']);

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
  /** Our own modules are loaded: from now on every import is refused, and the stop flag counts. */
  sealed = false;
  /** @type {string | null} */
  refusedImport = null;

  /**
   * @param {string} _base
   * @param {string} specifier
   */
  resolveImport = (_base, specifier) => {
    if (!this.sealed) return toGuestModule(specifier);
    this.refusedImport = specifier;
    throw new ImportRefused(
      `import ${JSON.stringify(specifier.slice(0, 200))} is refused: a program has no modules; use ctx.`,
    );
  };
}

/**
 * A VM for one script after the other, with our guest code loaded. Between two of them all of its memory that is alive
 * is put back to what it was before the first: nothing that a script does can reach the next one.
 */
export class GuestVm {
  #vm;
  #state;
  #memoryLimit;
  #guest;
  #snapshot;
  /** Calls that wait for an answer. */
  callsInFlight = 0;
  /** Calls beyond the limit, when calls were last taken. */
  refusedCalls = 0;
  /** Lines that were not kept, then. */
  droppedLines = 0;

  /**
   * @param {WorkerSettings & { module: WebAssembly.Module }} settings
   * @param {() => void} onLogged
   */
  static async create(settings, onLogged) {
    const mustStop = createStopProbe(settings.shared);
    const state = new GuestState();
    const vm = await QuickJS.create({
      wasm: settings.module,
      memoryLimit: settings.memoryBytes,
      maxStackSize: stackBytes,
      // A script could tell a replay from the first run by when its garbage is collected.
      intrinsics: Intrinsics.ALL & ~Intrinsics.WEAK_REF,
      timezoneOffset: 0,
      interruptHandler: () => {
        if (state.sealed && mustStop()) throw new GuestStopped();
        return false;
      },
      moduleLoader: {
        normalize: state.resolveImport,
        load: (/** @type {string} */ name) => guestModules.get(name) ?? '',
      },
      wasi: (/** @type {WebAssembly.Memory} */ memory) => createSystemCalls(memory, state),
    });
    const guest = await loadGuest(vm, (level, text) => {
      const room = writeLogLine(settings.shared, level, text);
      onLogged();
      return room;
    });
    state.sealed = true;
    return new GuestVm(vm, { guest, state, memoryLimit: settings.memoryBytes });
  }

  /**
   * @param {QuickJS} vm
   * @param {{ guest: Record<GuestFunction, JSValueHandle>, state: GuestState, memoryLimit: number }} parts
   */
  constructor(vm, { guest, state, memoryLimit }) {
    this.#vm = vm;
    this.#guest = guest;
    this.#state = state;
    this.#memoryLimit = memoryLimit;
    const { malloc, free } = vm._getExports();
    // The allocator keeps what it once had: scripts of ordinary size then do not grow the memory.
    free(malloc(reusableBytes));
    this.#snapshot = vm.snapshot();
  }

  /**
   * Puts the VM back to what it was before its first script, whatever the last one came to. False when it cannot be:
   * its memory has grown, and the engine would not find its end again.
   */
  reset() {
    const { memory, stackPointer } = this.#snapshot;
    if (this.memoryBytes !== memory.length) return false;
    // The C stack lies at the beginning and grows down from here: what is below it is dead, and nothing reads it.
    const from = stackPointer;
    new Uint8Array(this.#vm._getMemory().buffer).set(memory.subarray(from), from);
    this.#vm._getExports().__stack_pointer.value = stackPointer;
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
   * @param {GuestFunction} name
   * @param {JSValueHandle[]} args Disposed by this call.
   */
  #call(name, ...args) {
    try {
      return this.#vm.callFunction(this.#guest[name], this.#vm.undefined, ...args);
    } finally {
      for (const handle of args) handle.dispose();
    }
  }
}

/**
 * Loads our guest code, and gives the functions that it offers. Every handle that is used later is made here: those
 * made before the snapshot are good for ever, those made after it for one script.
 * @param {QuickJS} vm
 * @param {(level: string, text: string) => boolean} log
 * @returns {Promise<Record<GuestFunction, JSValueHandle>>}
 */
async function loadGuest(vm, log) {
  const source = guestModules.get(guestEntry) ?? '';
  const namespace = vm.evalCode(source, guestEntry, EvalFlags.TYPE_MODULE);
  vm.executePendingJobs();
  const loaded = await vm.resolvePromise(namespace);
  if ('error' in loaded) throw new Error('The guest modules did not load.');
  const { true: yes, false: no, undefined: nothing } = vm;
  // The one host function that a guest calls. It never throws: an error of the host would carry its stack inside.
  const sink = vm.newFunction('log', (level, text) => {
    const line = readText(text, maxLineUnits);
    return line !== undefined && log(readText(level, maxLineUnits) ?? '', line) ? yes : no;
  });
  const guest = vm.callFunction(loaded.value.getProp('createProgram'), nothing, sink);
  const offered = guestFunctions.map((name) => [name, guest.getProp(name)]);
  vm.runGC();
  // One entry for each name of the list.
  return /** @type {Record<GuestFunction, JSValueHandle>} */ (Object.fromEntries(offered));
}

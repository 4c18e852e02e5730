import { EvalFlags, Intrinsics, QuickJS } from 'quickjs-wasi';
import { GuestBridge, readText } from './guest-bridge.mjs';
import { guestEntry, guestModules, toGuestModule } from './guest-modules.mjs';
import { createStopProbe } from './shared-state.mjs';
import { createSystemCalls } from './system-calls.mjs';

/** @import { JSException, JSValueHandle } from 'quickjs-wasi' */
/** @import { VmJob, WorkerSettings } from './messages.ts' */
/** @typedef {'prepare' | 'start' | 'deliver' | 'droppedLines' | 'describe'} GuestFunction */

/** Bytes of native stack; the binary has 1 MiB, half of which is headroom for the engine's own frames. */
const stackBytes = 512 * 1024;
const maxDescriptionUnits = 65_536;

/** Thrown through the guest's frames, where nothing of the guest can catch it; the VM is dead afterwards. */
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
 * One VM for one script, with our guest code loaded. Disposed with everything in it: nothing that a script does can
 * reach the next one.
 */
export class GuestVm {
  #vm;
  #state;
  #memoryLimit;
  /** @type {JSValueHandle} */
  #guest;

  /**
   * @param {WorkerSettings} settings
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
    const bridge = new GuestBridge(settings.shared, onLogged);
    const guest = await loadGuest(vm, bridge);
    state.sealed = true;
    return new GuestVm(vm, { bridge, guest, state, memoryLimit: settings.memoryBytes });
  }

  /**
   * @param {QuickJS} vm
   * @param {{ bridge: GuestBridge, guest: JSValueHandle, state: GuestState, memoryLimit: number }} parts
   */
  constructor(vm, { bridge, guest, state, memoryLimit }) {
    this.#memoryLimit = memoryLimit;
    this.#vm = vm;
    this.#guest = guest;
    this.#state = state;
    this.bridge = bridge;
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
    this.bridge.maxCalls = job.maxCalls;
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
   * Hands an answer to the call that waits for it.
   * @param {number} id
   * @param {string} json
   */
  deliver(id, json) {
    this.bridge.answered(id);
    this.#call('deliver', this.#vm.newNumber(id), this.#vm.newString(json)).dispose();
  }

  /**
   * What a promise came to; undefined while it is pending.
   * @param {JSValueHandle} promise
   */
  async settled(promise) {
    return promise.promiseState === 0 ? undefined : this.#vm.resolvePromise(promise);
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

  droppedLines() {
    return this.#call('droppedLines').consume((handle) => handle.toNumber());
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
      return this.#guest
        .getProp(name)
        .consume((guestFunction) =>
          this.#vm.callFunction(guestFunction, this.#vm.undefined, ...args),
        );
    } finally {
      for (const handle of args) handle.dispose();
    }
  }
}

/**
 * @param {QuickJS} vm
 * @param {GuestBridge} bridge
 */
async function loadGuest(vm, bridge) {
  const source = guestModules.get(guestEntry) ?? '';
  const namespace = vm.evalCode(source, guestEntry, EvalFlags.TYPE_MODULE);
  vm.executePendingJobs();
  const loaded = await vm.resolvePromise(namespace);
  if ('error' in loaded) throw new Error('The guest modules did not load.');
  return loaded.value.consume((exports) =>
    exports
      .getProp('createProgram')
      .consume((createProgram) =>
        bridge.toHandle(vm).consume((host) => vm.callFunction(createProgram, vm.undefined, host)),
      ),
  );
}

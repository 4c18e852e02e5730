import { EvalFlags, Intrinsics, QuickJS } from 'quickjs-wasi';
import { guestEntry, readGuestModule, toGuestModule } from './guest-modules.mjs';
import { logFunction, stackBytes } from './guest-settings.mjs';

/** Bytes of memory that a script may use before its VM has to be made anew instead of being wound back. */
const reusableBytes = 1024 * 1024;
/** Bytes at both ends of a free block that the allocator may use for itself; it takes fewer. */
const allocatorBytes = 64;
/** What our guest code offers. */
const guestFunctions = /** @type {const} */ (['prepare', 'start', 'take', 'deliver', 'describe']);

/**
 * What is alive in the memory of a VM with our guest code loaded and nothing of a script, and where in it things lie. It is
 * good for every instance of the same engine.
 * @typedef {object} GuestImage
 * @property {number} memoryBytes Of the whole memory.
 * @property {readonly MemoryPart[]} parts
 * @property {number} stackPointer
 * @property {number} runtimePtr
 * @property {number} contextPtr
 * @property {Readonly<Record<GuestHandle, number>>} handles
 */

/** @typedef {{ readonly at: number, readonly bytes: Uint8Array }} MemoryPart */
/** @typedef {typeof guestFunctions[number] | 'undefined' | 'true' | 'false'} GuestHandle */

/**
 * Makes the image of a VM: evaluates our guest code in a new one. The same engine and the same code give the same bytes.
 * @param {WebAssembly.Module} engine
 * @returns {Promise<GuestImage>}
 */
export async function createGuestImage(engine) {
  const vm = await QuickJS.create({
    wasm: engine,
    maxStackSize: stackBytes,
    // A script could tell a replay from the first run by when its garbage is collected.
    intrinsics: Intrinsics.ALL & ~Intrinsics.WEAK_REF,
    timezoneOffset: 0,
    interruptHandler: () => false,
    moduleLoader: {
      normalize: (_base, specifier) => toGuestModule(specifier),
      load: readGuestModule,
    },
    wasi: timeless,
  });
  const handles = await loadGuest(vm);
  const { malloc, free } = vm._getExports();
  // The allocator keeps what it once had: scripts of ordinary size then do not grow the memory.
  const spare = malloc(reusableBytes);
  free(spare);
  const { memory, stackPointer, runtimePtr, contextPtr } = vm.snapshot();
  // The C stack lies at the beginning and grows down from here; what is below it is dead, and so is free memory.
  const parts = [
    toPart(memory, stackPointer, spare + allocatorBytes),
    toPart(memory, spare + reusableBytes - allocatorBytes, memory.length),
  ];
  return { memoryBytes: memory.length, parts, stackPointer, runtimePtr, contextPtr, handles };
}

/**
 * @param {Uint8Array} memory
 * @param {number} start
 * @param {number} end
 * @returns {MemoryPart}
 */
function toPart(memory, start, end) {
  return { at: start, bytes: memory.subarray(start, end) };
}

/**
 * Loads our guest code, and tells where the handles lie that every script needs. They are never freed.
 * @param {QuickJS} vm
 * @returns {Promise<GuestImage['handles']>}
 */
async function loadGuest(vm) {
  const namespace = vm.evalCode(readGuestModule(guestEntry), guestEntry, EvalFlags.TYPE_MODULE);
  vm.executePendingJobs();
  const loaded = await vm.resolvePromise(namespace);
  if ('error' in loaded) throw new Error('The guest modules did not load.');
  const log = vm.newFunction(logFunction, () => vm.undefined);
  const guest = vm.callFunction(loaded.value.getProp('createProgram'), vm.undefined, log);
  const offered = guestFunctions.map((name) => [name, vm.exportHandle(guest.getProp(name))]);
  const values = /** @type {const} */ (['undefined', 'true', 'false']).map((name) => [
    name,
    vm.exportHandle(vm[name]),
  ]);
  vm.runGC();
  // One entry for each name of the lists.
  return /** @type {GuestImage['handles']} */ (Object.fromEntries([...offered, ...values]));
}

/**
 * An image holds no time and no random bytes of where it was made: its clocks stand at 0.
 * @param {WebAssembly.Memory} memory
 */
function timeless(memory) {
  return {
    /**
     * @param {number} _clock
     * @param {bigint} _precision
     * @param {number} resultAt
     */
    clock_time_get(_clock, _precision, resultAt) {
      new DataView(memory.buffer).setBigUint64(resultAt, 0n, true);
      return 0;
    },
    /**
     * @param {number} at
     * @param {number} length
     */
    random_get(at, length) {
      new Uint8Array(memory.buffer, at, length).fill(0);
      return 0;
    },
    fd_write: () => 8,
  };
}

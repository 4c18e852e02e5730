const success = 0;
const badDescriptor = 8;
const monotonicClock = 1;

/**
 * What the VM may ask of the system: the time that we give it, and nothing else. It writes nowhere, and its random
 * bytes are zeros (`Math.random` is our own).
 * @param {WebAssembly.Memory} memory
 * @param {{ clock: () => number, startMs: number }} time Milliseconds since 1970; the monotonic clock begins at `startMs`.
 */
export function createSystemCalls(memory, time) {
  return {
    /**
     * @param {number} clock
     * @param {bigint} _precision
     * @param {number} resultAt
     */
    clock_time_get(clock, _precision, resultAt) {
      const ms = clock === monotonicClock ? time.clock() - time.startMs : time.clock();
      const nanoseconds = BigInt(Math.round(ms * 1000)) * 1000n;
      new DataView(memory.buffer).setBigUint64(resultAt, nanoseconds, true);
      return success;
    },
    fd_write: () => badDescriptor,
    /**
     * @param {number} at
     * @param {number} length
     */
    random_get(at, length) {
      new Uint8Array(memory.buffer, at, length).fill(0);
      return success;
    },
  };
}

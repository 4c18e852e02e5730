import { JSException } from 'quickjs-wasi';
import { GuestStopped } from './guest-vm.mjs';
import { findImportLine } from './import-line.mjs';

/** @import { JSValueHandle } from 'quickjs-wasi' */
/** @import { GuestVm } from './guest-vm.mjs' */
/** @import { ScriptFailure, VmEnd, VmJob } from './messages.ts' */

const outOfMemoryMessage = 'out of memory';
const stackOverflowMessage = 'Maximum call stack size exceeded';

/**
 * A failure that is ours to tell: nothing was thrown by the script.
 * @param {ScriptFailure['reason']} reason
 * @param {string} message
 * @param {{ line?: number | null, column?: number | null }} [place]
 * @returns {VmEnd}
 */
export function toScriptError(reason, message, place = {}) {
  const { line = null, column = null } = place;
  return {
    type: 'script_error',
    failure: { reason, name: 'Error', message, stack: '', line, column },
  };
}

/**
 * What became of a script whose promise was rejected with `thrown`.
 * @param {JSValueHandle} thrown
 * @param {{ vm: GuestVm, job: VmJob, reason: ScriptFailure['reason'] }} context
 * @returns {Promise<VmEnd>}
 */
export async function toEndOfRejection(thrown, { vm, job, reason }) {
  const text = vm.describe(thrown);
  const described =
    text === undefined
      ? {
          name: 'Error',
          message: 'A value was thrown that cannot be shown.',
          stack: '',
          hasReturned: false,
        }
      : // Written by our own guest code.
        /** @type {{ name: string, message: string, stack: string, hasReturned: boolean }} */ (
          JSON.parse(text)
        );
  if (!described.hasReturned) return toEnd(described, { vm, job, reason });
  const message = `What the program returned cannot be given as JSON: ${described.message}`;
  return toEnd({ ...described, message }, { vm, job, reason: 'result' });
}

/**
 * What became of a script during which `error` came out of the VM.
 * @param {unknown} error
 * @param {{ vm: GuestVm, job: VmJob, reason: ScriptFailure['reason'] }} context
 * @returns {Promise<VmEnd>}
 */
export async function toEndOfException(error, { vm, job, reason }) {
  if (error instanceof GuestStopped) return { type: 'stopped' };
  if (error instanceof JSException) {
    if (vm.isFatal(error)) return { type: 'out_of_memory' };
    const { name, message, stack = '' } = error;
    return toEnd(
      { name, message: message.slice(0, 8192), stack: stack.slice(0, 8192) },
      { vm, job, reason },
    );
  }
  // The worker's own stack ran out under native frames of the engine.
  if (error instanceof RangeError) {
    return toScriptError('stack_overflow', `${stackOverflowMessage}.`);
  }
  // Text did not fit into the VM any more, or the engine went on after an allocation that had failed.
  if (vm.isExhausted) return { type: 'out_of_memory' };
  return { type: 'fault', message: error instanceof Error ? error.message : String(error) };
}

/**
 * @param {{ name: string, message: string, stack: string }} thrown
 * @param {{ vm: GuestVm, job: VmJob, reason: ScriptFailure['reason'] }} context
 * @returns {Promise<VmEnd>}
 */
async function toEnd({ name, message, stack }, { vm, job, reason }) {
  const { line, column } = findPlace(stack, job.fileName);
  if (name === 'ImportError' && vm.refusedImport !== null) {
    return {
      type: 'script_error',
      failure: {
        reason: 'import',
        name,
        message,
        stack,
        line: (await findImportLine(job.source, vm.refusedImport)) ?? line,
        column: null,
      },
    };
  }
  // The parser of scripts and that of regular expressions tell it as a mistake in what they parse.
  if (message === outOfMemoryMessage && vm.isExhausted) return { type: 'out_of_memory' };
  const overflow = name === 'RangeError' && message === stackOverflowMessage;
  return {
    type: 'script_error',
    failure: { reason: overflow ? 'stack_overflow' : reason, name, message, stack, line, column },
  };
}

/**
 * The topmost place of a stack that lies in the script.
 * @param {string} stack
 * @param {string} fileName
 * @returns {{ line: number | null, column: number | null }}
 */
function findPlace(stack, fileName) {
  const at = stack.indexOf(`${fileName}:`);
  const found = at < 0 ? null : /^(\d+)(?::(\d+))?/.exec(stack.slice(at + fileName.length + 1));
  if (found === null) return { line: null, column: null };
  return { line: Number(found[1]), column: found[2] === undefined ? null : Number(found[2]) };
}

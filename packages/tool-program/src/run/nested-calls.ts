import {
  isJsonObject,
  ToolError,
  type BeforeRun,
  type JsonObject,
  type JsonValue,
  type ToolContextBase,
} from '@toolwright/core';
import type { VmCall } from '../vm/messages.ts';
import type { AllowedTools } from './allowed-tools.ts';
import { toCallRecord, toFailedRecord, type CallRecord } from './call-record.ts';
import type { CatalogQueries } from './catalog-queries.ts';
import type { ProgramClock } from './program-clock.ts';
import { Turnstile } from './turnstile.ts';

/** Calls of one program that are under way at once; further ones wait. */
export const maxConcurrentCalls = 8;

/** What the calls of a program need. */
export interface NestedCallsOptions {
  readonly context: Pick<ToolContextBase, 'invoke'>;
  readonly allowed: AllowedTools;
  readonly catalog: CatalogQueries;
  readonly clock: ProgramClock;
  /** UTF-8 bytes of a record's output. */
  readonly maxOutputBytes: number;
  /** Cancels every call of the program. */
  readonly signal: AbortSignal;
}

/** Performs the calls of a script, each through the whole kernel; a failure is a record. */
export class NestedCalls {
  readonly #options: NestedCallsOptions;
  readonly #places = new Turnstile(maxConcurrentCalls);

  constructor(options: NestedCallsOptions) {
    this.#options = options;
    // One listener for all: a script can have hundreds of calls waiting.
    options.signal.addEventListener('abort', () => this.#places.dismiss(), { once: true });
  }

  /** The answer to a call, as the script gets it. Never rejects. */
  async perform(call: VmCall, beforeRun?: BeforeRun): Promise<JsonValue | CallRecord> {
    if (call.tooDeep) return toFailedRecord(call.name, tooDeep());
    if (call.kind === 'catalog')
      return this.#options.catalog.answer(call.name, toObject(call.args));
    const timing = this.#options.clock.callMade();
    try {
      if (!(await this.#places.enter())) throw stopped();
      try {
        return await this.#invoke(call, async (begins) => {
          timing.begins();
          await beforeRun?.(begins);
        });
      } finally {
        this.#places.leave();
      }
    } catch (error) {
      return toFailedRecord(call.name, toErrorObject(error));
    } finally {
      timing.ends();
    }
  }

  async #invoke(call: VmCall, beforeRun: BeforeRun): Promise<CallRecord> {
    const { context, allowed, maxOutputBytes, signal } = this.#options;
    signal.throwIfAborted();
    const allowedTools = allowed.forKernel();
    const result = await context.invoke(allowed.toCall(call.name, toObject(call.args)), {
      signal,
      beforeRun,
      ...(allowedTools === undefined ? {} : { allowedTools }),
    });
    return toCallRecord(result, maxOutputBytes);
  }
}

/** Arguments that are no object go to the kernel as they are wanted to be: its validation tells what is wrong. */
function toObject(args: JsonValue): JsonObject {
  return isJsonObject(args) ? args : { value: args };
}

function toErrorObject(error: unknown): ReturnType<ToolError['toObject']> {
  return (ToolError.isInstance(error) ? error : stopped()).toObject('guard');
}

function stopped(): ToolError {
  return new ToolError('cancelled', 'The program was stopped before this call ended.');
}

function tooDeep(): ReturnType<ToolError['toObject']> {
  return new ToolError('limit_exceeded', 'The arguments of a call may nest 256 levels deep.', {
    reason: 'arguments_too_deep',
  }).toObject('guard');
}

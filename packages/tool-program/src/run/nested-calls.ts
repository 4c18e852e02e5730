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
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(options: NestedCallsOptions) {
    this.#options = options;
  }

  /** The answer to a call, as the script gets it. Never rejects. */
  async perform(call: VmCall, beforeRun?: BeforeRun): Promise<JsonValue | CallRecord> {
    if (call.kind === 'catalog')
      return this.#options.catalog.answer(call.name, parseObject(call.json));
    const timing = this.#options.clock.callMade();
    try {
      await this.#turn();
      try {
        return await this.#invoke(call, async (begins) => {
          timing.begins();
          await beforeRun?.(begins);
        });
      } finally {
        this.#running -= 1;
        this.#queue.shift()?.();
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
    const result = await context.invoke(allowed.toCall(call.name, parseObject(call.json)), {
      signal,
      beforeRun,
      ...(allowedTools === undefined ? {} : { allowedTools }),
    });
    return toCallRecord(result, maxOutputBytes);
  }

  async #turn(): Promise<void> {
    while (this.#running >= maxConcurrentCalls) {
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    }
    this.#running += 1;
  }
}

/** Arguments that are no object go to the kernel as they are wanted to be: its validation tells what is wrong. */
function parseObject(json: string): JsonObject {
  // It was written by JSON.stringify in the VM.
  const value = JSON.parse(json) as JsonValue;
  return isJsonObject(value) ? value : { value };
}

function toErrorObject(error: unknown): ReturnType<ToolError['toObject']> {
  const typed = ToolError.isInstance(error)
    ? error
    : new ToolError('cancelled', 'The program was stopped before this call ended.');
  return typed.toObject('guard');
}

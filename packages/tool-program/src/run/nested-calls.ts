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
    const { context, allowed, catalog, clock, maxOutputBytes, signal } = this.#options;
    if (call.kind === 'catalog') {
      return catalog
        .answer(call.name, isJsonObject(call.args) ? call.args : {})
        .catch((error: unknown) => toFailedRecord(call.name, toErrorObject(error)));
    }
    const timing = clock.callMade();
    let entered = false;
    try {
      entered = this.#places.enterNow() || (await this.#places.enter());
      if (!entered) throw stopped();
      signal.throwIfAborted();
      const allowedTools = allowed.forKernel();
      const result = await context.invoke(allowed.toCall(call.name, toArguments(call)), {
        signal,
        beforeRun: (begins) => {
          timing.begins();
          return beforeRun?.(begins);
        },
        ...(allowedTools === undefined ? {} : { allowedTools }),
      });
      return toCallRecord(result, maxOutputBytes);
    } catch (error) {
      return toFailedRecord(call.name, toErrorObject(error));
    } finally {
      if (entered) this.#places.leave();
      timing.ends();
    }
  }
}

/** The arguments of a call, also as their JSON text. Errors: `invalid_argument` for anything that is no object. */
function toArguments({ name, args }: VmCall): JsonObject {
  const given = typeof args === 'string' ? parsed(args) : args;
  if (isJsonObject(given)) return given;
  throw new ToolError(
    'invalid_argument',
    `The arguments of ${name} must be an object, such as ctx.tool(${JSON.stringify(name)}, { … }).`,
  );
}

function parsed(text: string): JsonValue {
  try {
    // JSON.parse gives JSON values.
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
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

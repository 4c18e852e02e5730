import { createTransformBinding, type TransformBinding } from '../projection/transform-binding.ts';
import { withEvidence } from '../evidence/result-metadata.ts';
import { ToolError, type ToolErrorObject } from '../errors/tool-error.ts';
import type { JsonObject } from '../json/json.ts';
import type { ProjectionPolicy } from '../projection/policy.ts';
import { project } from '../projection/project.ts';
import type { Projection } from '../projection/projection.ts';
import type { ToolOutput, Trust } from '../tool/tool-output.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { BoundCall } from './bound-call.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import { boundContent, boundJson, type BoundPart } from './bound-parts.ts';
import { takeError } from './take-error.ts';
import { thrownMessage } from './thrown-message.ts';

/** What a call came to, before it is sanitised and bounded. */
export type Outcome =
  | { readonly kind: 'output'; readonly output: ToolOutput; readonly projection?: Projection }
  | {
      readonly kind: 'error';
      readonly error: ToolErrorObject;
      readonly output: string;
      readonly metadata: JsonObject;
    };

/** Bounds a text, secrets hidden. Errors: those of the stream. */
export async function projectText(
  session: KernelSession,
  call: Pick<BoundCall, 'invocation' | 'rewrites'> | { readonly invocation: Invocation },
  output: ToolOutput['output'],
): Promise<Projection> {
  const { invocation } = call;
  const clean = session.sanitiser.active ? session.sanitiser.output(output) : output;
  const rewrites = 'rewrites' in call ? call.rewrites : [];
  return project(withNote(clean, rewrites), session.projection, {
    tool: invocation.name,
    artifacts: session.artifacts.store,
    holder: session.artifacts.holder(invocation.id),
    // Only a stream can last, and it is read while the tool runs.
    ...(typeof output === 'string' || output instanceof Uint8Array
      ? {}
      : { signal: invocation.signal }),
  });
}

/** Stages 11 and 12: hides secrets everywhere, bounds every part, and attaches evidence, last. */
export async function projectResult(
  session: KernelSession,
  invocation: Invocation,
  given: { readonly outcome: Outcome; readonly call: BoundCall | undefined },
): Promise<ToolResult> {
  const { outcome, call } = given;
  invocation.stage = 'sanitise';
  const { sanitiser } = session;
  const clean = <T>(value: T): T => (sanitiser.active ? sanitiser.json(value) : value);
  const own = outcome.kind === 'output' ? outcome.output.metadata : outcome.metadata;
  const kernelFacts = clean(factsOf(session, invocation, call));
  const structured = outcome.kind === 'output' ? outcome.output.structured : undefined;
  const content = outcome.kind === 'output' ? outcome.output.content : undefined;
  const error = outcome.kind === 'error' ? boundError(clean(outcome.error)) : null;

  invocation.stage = 'project';
  const projection =
    (outcome.kind === 'output' ? outcome.projection : undefined) ??
    (await projectText(
      session,
      call ?? { invocation },
      outcome.kind === 'output' ? outcome.output.output : outcome.output,
    ));
  const parts = {
    metadata:
      own === undefined
        ? none
        : await boundJson(session, invocation, { part: 'metadata', value: own }),
    structured:
      structured === undefined
        ? none
        : await boundJson(session, invocation, { part: 'structured', value: structured }),
    content: content === undefined ? none : await boundContent(session, invocation, content),
  };
  const metadata = withEvidence(
    {
      ...(isObject(parts.metadata.value) ? parts.metadata.value : {}),
      ...kernelFacts,
      ...notes(parts),
    },
    projection,
    bindingOf(session.projection),
  );
  return Object.freeze<ToolResult>({
    id: invocation.id,
    // What was called may be any text, and so may hold a secret.
    name: clean(invocation.name),
    output: projection.output,
    exit_code: outcome.kind === 'error' ? 1 : (outcome.output.exitCode ?? 0),
    ...(parts.structured.value === undefined ? {} : { structured: parts.structured.value }),
    ...(parts.content.value === undefined ? {} : { content: parts.content.value }),
    // Evidence and binding are plain JSON; their types are closed records without an index signature.
    metadata: metadata as JsonObject,
    trust: trustOf(outcome),
    error,
  });
}

/** A part that the tool left out. */
const none: BoundPart<never> = { value: undefined };

const bindings = new WeakMap<ProjectionPolicy, TransformBinding>();

function bindingOf(policy: ProjectionPolicy): TransformBinding {
  let binding = bindings.get(policy);
  if (binding === undefined) {
    binding = createTransformBinding(policy);
    bindings.set(policy, binding);
  }
  return binding;
}

/** What the kernel itself has to tell: repairs, clamps, rewrites, changed paths. */
function factsOf(
  session: KernelSession,
  invocation: Invocation,
  call: BoundCall | undefined,
): JsonObject {
  const changed = session.journal.changedPaths(invocation.id);
  return {
    ...(call !== undefined && call.repairs.length > 0
      ? { repairs: call.repairs.map((change) => ({ ...change })) }
      : {}),
    ...(call !== undefined && call.clamped.length > 0
      ? { clamped: call.clamped.map((change) => ({ ...change })) }
      : {}),
    ...(call !== undefined && call.rewrites.length > 0 ? { rewrites: call.rewrites } : {}),
    ...(changed.length > 0 ? { changed_paths: changed } : {}),
  };
}

/** Says to the model that its arguments were changed, where it will certainly read it. */
function withNote(output: ToolOutput['output'], rewrites: readonly string[]): ToolOutput['output'] {
  if (rewrites.length === 0) return output;
  const note = `[the host changed the arguments of this call: ${rewrites.join('; ')}]\n`;
  if (typeof output === 'string') return note + output;
  return (async function* () {
    yield new TextEncoder().encode(note);
    if (output instanceof Uint8Array) yield output;
    else yield* output;
  })();
}

function trustOf(outcome: Outcome): Trust {
  if (outcome.kind === 'output') return outcome.output.trust ?? 'workspace_data';
  const { stage, type, detail } = outcome.error;
  // Before a call runs, only the host and its person have spoken; then a tool may quote the workspace or a server.
  if (stage !== 'run') return 'trusted';
  return type === 'transport' || detail !== undefined ? 'external' : 'trusted';
}

const maxErrorBytes = 64 * 1024;

function boundError(error: ToolErrorObject): ToolErrorObject {
  if (JSON.stringify(error).length <= maxErrorBytes) return error;
  const { type, reason, stage, message, retryable } = error;
  return {
    type,
    ...(reason === undefined ? {} : { reason }),
    stage,
    message: message.slice(0, 4_096),
    retryable,
    fields_omitted: true,
  };
}

function notes(parts: {
  readonly metadata: { readonly note?: JsonObject };
  readonly structured: { readonly note?: JsonObject };
  readonly content: { readonly note?: JsonObject };
}): JsonObject {
  return { ...parts.metadata.note, ...parts.structured.note, ...parts.content.note };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The outcome of a call that failed with any thrown value. */
export function toFailure(error: unknown, invocation: Invocation): Outcome {
  try {
    return failureOf(
      ToolError.isInstance(error) ? error : unexpected(error, invocation),
      invocation,
    );
  } catch {
    // What calls itself a ToolError may be none.
    return failureOf(unexpected('it threw a broken error', invocation), invocation);
  }
}

function failureOf(error: ToolError, invocation: Invocation): Outcome {
  const { output, metadata } = error;
  const wire = takeError(error, invocation.stage);
  const head = `${wire.type}: ${wire.message}`;
  const detail = wire.detail === undefined ? '' : `\n${wire.detail}`;
  const more = output === undefined || output === '' ? '' : `\n${output}`;
  return { kind: 'error', error: wire, output: head + detail + more, metadata: metadata ?? {} };
}

/** A defect of a tool or a service: told without its stack, which stays in `cause` for the host's telemetry. */
function unexpected(error: unknown, invocation: Invocation): ToolError {
  const what = thrownMessage(error);
  return new ToolError('internal', `${invocation.name} failed unexpectedly: ${what}`, {
    cause: error,
  });
}

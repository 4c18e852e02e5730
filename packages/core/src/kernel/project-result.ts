import { createTransformBinding, type TransformBinding } from '../projection/transform-binding.ts';
import { toMetadataRecord, withEvidence } from '../evidence/result-metadata.ts';
import { ToolError, type ToolErrorObject } from '../errors/tool-error.ts';
import { setOwn, type JsonObject } from '../json/json.ts';
import type { ProjectionPolicy } from '../projection/policy.ts';
import { project } from '../projection/project.ts';
import type { Projection } from '../projection/projection.ts';
import type { ToolOutput, Trust } from '../tool/tool-output.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { BoundCall } from './bound-call.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import { boundParts, type BoundParts } from './bound-parts.ts';
import { promisedOutput } from './promised-output.ts';
import { takeError } from './take-error.ts';
import { thrownMessage } from './thrown-message.ts';
import { whenReady, type Ready } from './when-ready.ts';

/** What a call came to, before it is sanitised and bounded. */
export type Outcome =
  | {
      readonly kind: 'output';
      readonly output: ToolOutput;
      /** Of a stream, which was read while the tool ran. */
      readonly projection: Projection | undefined;
    }
  | {
      readonly kind: 'error';
      readonly error: ToolErrorObject;
      readonly output: string;
      /** Whether the tool has put a text of its own into the output: partial output, candidates. */
      readonly brings: boolean;
      readonly metadata: JsonObject;
    };

/** Bounds a text, secrets hidden. Errors: those of the stream. */
export function projectText(
  session: KernelSession,
  call: Pick<BoundCall, 'invocation' | 'rewrites'> | { readonly invocation: Invocation },
  output: ToolOutput['output'],
): Ready<Projection> {
  const { invocation } = call;
  const noted = withNote(output, 'rewrites' in call ? call.rewrites : []);
  // The note too: a hook may say of a secret that it took it out.
  const safe = session.sanitiser.active ? session.sanitiser.output(noted) : noted;
  return project(safe, session.projection, {
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
export function projectResult(
  session: KernelSession,
  invocation: Invocation,
  given: { readonly outcome: Outcome; readonly call: BoundCall | undefined },
): Ready<ToolResult> {
  const { outcome, call } = given;
  invocation.stage = 'sanitise';
  const facts = factsOf(session, invocation, call);
  const told: Told = {
    facts: facts === undefined ? undefined : clean(session, facts),
    error: outcome.kind === 'error' ? boundError(clean(session, outcome.error)) : null,
    exitCode: outcome.kind === 'error' ? 1 : (outcome.output.exitCode ?? 0),
    trust: trustOf(session, outcome, call),
  };
  invocation.stage = 'project';
  const promised = promisedOutput(call?.tool);
  return whenReady(projectOutcome(session, call ?? { invocation }, outcome), (projection) =>
    whenReady(boundParts(session, invocation, { outcome, promised }), (parts) =>
      compose(session, invocation, { told, projection, parts }),
    ),
  );
}

/** What the kernel itself has to say of a call. */
interface Told {
  readonly facts: JsonObject | undefined;
  readonly error: ToolErrorObject | null;
  readonly exitCode: 0 | 1;
  readonly trust: Trust;
}

function clean<T>({ sanitiser }: KernelSession, value: T): T {
  return sanitiser.active ? sanitiser.json(value) : value;
}

/** The bounded text: made while the tool ran if it was a stream. */
function projectOutcome(
  session: KernelSession,
  call: Pick<BoundCall, 'invocation' | 'rewrites'> | { readonly invocation: Invocation },
  outcome: Outcome,
): Ready<Projection> {
  if (outcome.kind === 'error') return projectText(session, call, outcome.output);
  return outcome.projection ?? projectText(session, call, outcome.output.output);
}

function compose(
  session: KernelSession,
  invocation: Invocation,
  from: { readonly told: Told; readonly projection: Projection; readonly parts: BoundParts },
): ToolResult {
  const { told, projection, parts } = from;
  const own: Record<string, unknown> = {};
  addTo(own, toMetadataRecord(parts.metadata.value));
  addTo(own, told.facts);
  for (const { note } of [parts.metadata, parts.structured, parts.content]) addTo(own, note);
  const metadata = withEvidence(own, projection, bindingOf(session.projection));
  const result: { -readonly [Field in keyof ToolResult]: ToolResult[Field] } = {
    id: invocation.id,
    // What was called may be any text, and so may hold a secret.
    name: clean(session, invocation.name),
    output: projection.output,
    exit_code: told.exitCode,
    // Evidence and binding are plain JSON; their types are closed records without an index signature.
    metadata: metadata as JsonObject,
    trust: told.trust,
    error: told.error,
  };
  if (parts.structured.value !== undefined) result.structured = parts.structured.value;
  if (parts.content.value !== undefined) result.content = parts.content.value;
  return Object.freeze(result);
}

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
): JsonObject | undefined {
  // What is known by the id of a call that was refused is another call's.
  if (call === undefined) return undefined;
  const { repairs, clamped, rewrites } = call;
  const changed = session.journal.changedPaths(invocation.id);
  if (repairs.length + clamped.length + rewrites.length + changed.length === 0) return undefined;
  return {
    ...(repairs.length > 0 ? { repairs: repairs.map((change) => ({ ...change })) } : {}),
    ...(clamped.length > 0 ? { clamped: clamped.map((change) => ({ ...change })) } : {}),
    ...(rewrites.length > 0 ? { rewrites } : {}),
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

function trustOf(session: KernelSession, outcome: Outcome, call: BoundCall | undefined): Trust {
  if (outcome.kind === 'output') return outcome.output.trust ?? 'workspace_data';
  const { stage, type, detail } = outcome.error;
  // Before a call runs, only the host and its person have spoken; then a tool may quote the workspace or a server.
  if (stage !== 'run' && stage !== 'project') return 'trusted';
  if (type === 'transport' || detail !== undefined) return 'external';
  if (!outcome.brings) return 'trusted';
  // What a failed call still brings is as good as what its tool brings otherwise; an orchestrator brings what it was given.
  const { untrusted = false, orchestrator = false } = call?.tool.tool ?? {};
  return untrusted || (orchestrator && session.policy.tainted) ? 'external' : 'workspace_data';
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

/** By hand, since V8 takes microseconds for each key that is added to what a spread has made. */
function addTo(
  target: Record<string, unknown>,
  facts: Readonly<Record<string, unknown>> | undefined,
): void {
  if (facts === undefined) return;
  for (const key of Object.keys(facts)) {
    const fact = facts[key];
    if (fact !== undefined) setOwn(target, key, fact);
  }
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
  const brings = output !== undefined && output !== '';
  const text = head + detail + (brings ? `\n${output}` : '');
  return { kind: 'error', error: wire, output: text, brings, metadata: metadata ?? {} };
}

/** A defect of a tool or a service: told without its stack, which stays in `cause` for the host's telemetry. */
function unexpected(error: unknown, invocation: Invocation): ToolError {
  const what = thrownMessage(error);
  return new ToolError('internal', `${invocation.name} failed unexpectedly: ${what}`, {
    cause: error,
  });
}

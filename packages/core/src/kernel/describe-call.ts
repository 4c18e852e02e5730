import { isArtifactUri } from '../artifacts/artifact-access.ts';
import { toDigest } from '../digest/canonical-digest.ts';
import { sha256Hex } from '../digest/sha256.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { JsonObject } from '../json/json.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import type { RegisteredTool } from '../session/tool-registry.ts';
import type { Effect } from '../tool/effects.ts';
import type { DescribeWorkspace } from '../tool/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { HookedArguments } from './before-hooks.ts';
import type { BoundCall } from './bound-call.ts';
import { emitWhole } from './emit.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import { splitTarget } from './lock-target.ts';
import { takeCapabilities } from '../tool/take-capabilities.ts';
import { takeEffect } from './take-effect.ts';
import { SignalOptions, type Stop } from './stop.ts';
import type { Patience, TookTooLongError } from './patience.ts';
import { isPending, type Ready } from './when-ready.ts';

/** Milliseconds that a tool has to tell its effects, and the workspace to resolve their paths. */
const describeLimitMs = 5_000;

/** Effects that one call may declare. */
const maxEffects = 10_000;

/** Stage 5, its second half: what the call says of itself, and the digests that approvals bind to. */
export function describeCall(
  session: KernelSession,
  invocation: Invocation,
  told: {
    readonly tool: RegisteredTool;
    readonly hooked: HookedArguments;
    readonly effects: readonly Effect[];
  },
): BoundCall {
  const { tool, hooked, effects } = told;
  const { args, repairs, clamped, rewrites } = hooked;
  const capabilities = takeCapabilities(tool.tool.capabilities(args));
  const digests = {
    definition: tool.definitionDigest,
    arguments: toDigest(sha256Hex(canonicalJson(args))),
  };
  emitWhole(session, invocation, (seq) => ({
    seq,
    session_id: session.id,
    invocation_id: invocation.id,
    parent_id: invocation.parentId,
    origin: invocation.origin,
    type: 'tool_request_bound',
    tool_id: invocation.id,
    tool_name: invocation.name,
    snapshot: {
      definition_digest: digests.definition,
      arguments_digest: digests.arguments,
      capabilities,
      effects,
    },
  }));
  if (capabilities.readOnly) assertReads(tool.name, effects);
  // Each by its name: V8 takes microseconds for each key that is added to what a spread has made.
  return { invocation, tool, args, repairs, clamped, rewrites, capabilities, effects, digests };
}

function assertReads(tool: string, effects: readonly Effect[]): void {
  const write = effects.find((effect) => effect.kind === 'write' || effect.kind === 'unknown');
  if (write === undefined) return;
  throw new ToolError(
    'effect_violation',
    `${tool} declared this call read-only and also the effect ${write.kind} ${write.target}.`,
    { reason: 'read_only' },
  );
}

/**
 * Stage 5, its first half: what the tool says the call will touch, as private copies with the real paths of files. Errors: those
 * of the tool's own `effects` and of the workspace (`outside_workspace`), `timeout`.
 */
export function tellEffects(
  session: KernelSession,
  invocation: Invocation,
  of: { readonly tool: RegisteredTool; readonly args: JsonObject; readonly patience: Patience },
): Ready<readonly Effect[]> {
  invocation.stage = 'describe';
  const { tool, args, patience } = of;
  const told = effectsOf(session, invocation, { tool, args });
  if (!isPending(told)) return told;
  return patience.wait(told, describeLimitMs, (error) => tooLate(tool.name, error));
}

function effectsOf(
  session: KernelSession,
  { stop }: Invocation,
  of: { readonly tool: RegisteredTool; readonly args: JsonObject },
): Ready<readonly Effect[]> {
  const { workspace } = session;
  const { tool, args } = of;
  stop.throwIfAborted();
  const declared: unknown = tool.tool.effects(args, new EffectContext(stop, factsOf(workspace)));
  if (Array.isArray(declared)) {
    const effects = takeEffects(declared, tool.name);
    return effects.some(touchesFile) ? resolveAll(workspace, effects) : freezeAll(effects);
  }
  return (async () => await resolveAll(workspace, takeEffects(await declared, tool.name)))();
}

function takeEffects(declared: unknown, tool: string): Effect[] {
  if (!Array.isArray(declared)) throw new TypeError(`${tool} told no list of effects.`);
  const { length } = declared;
  if (length > maxEffects) {
    throw new ToolError(
      'limit_exceeded',
      `This call would touch more than ${maxEffects} targets; make several calls of it.`,
      { reason: 'too_many_effects' },
    );
  }
  // An array that is pushed to gets room for 17.
  if (length === 1) return [takeEffect(declared[0])];
  const effects: Effect[] = [];
  for (let index = 0; index < length; index += 1) effects.push(takeEffect(declared[index]));
  return effects;
}

/** Gives the private copies their real paths. */
async function resolveAll(workspace: Workspace, effects: Effect[]): Promise<readonly Effect[]> {
  for (let index = 0; index < effects.length; index += 1) {
    const effect = effects[index];
    if (effect === undefined || !touchesFile(effect)) continue;
    const { base, tree } = splitTarget(effect.target);
    effects[index] = withPath(effect, await workspace.resolvePath(base), tree);
  }
  return freezeAll(effects);
}

/** Approvers, hooks and listeners are shown this very list: what they do to it must not widen the call. */
function freezeAll(effects: Effect[]): readonly Effect[] {
  for (const effect of effects) Object.freeze(effect);
  return Object.freeze(effects);
}

function tooLate(tool: string, cause: TookTooLongError): ToolError {
  return new ToolError(
    'timeout',
    `What this call of ${tool} would touch could not be told within ${describeLimitMs} ms.`,
    { reason: 'describe', fields: { op: tool, duration_ms: describeLimitMs }, cause },
  );
}

class EffectContext extends SignalOptions {
  readonly workspace: DescribeWorkspace;

  constructor(stop: Stop, workspace: DescribeWorkspace) {
    super(stop);
    this.workspace = workspace;
  }

  static {
    // Or one tool could change what all others are told, and stand between this class and the one above it.
    Object.freeze(this.prototype);
  }
}

const factsByWorkspace = new WeakMap<Workspace, DescribeWorkspace>();

function factsOf(workspace: Workspace): DescribeWorkspace {
  let facts = factsByWorkspace.get(workspace);
  if (facts === undefined) {
    facts = Object.freeze(describeWorkspace(workspace));
    factsByWorkspace.set(workspace, facts);
  }
  return facts;
}

/** What a tool may know of the workspace before anything was decided: how paths resolve and what runs commands. */
function describeWorkspace(workspace: Workspace): DescribeWorkspace {
  const { processes } = workspace;
  const resolvePath = (path: string): Promise<string> => workspace.resolvePath(path);
  if (processes === undefined) return { resolvePath };
  const { shell } = processes;
  return {
    resolvePath,
    processes: Object.freeze({
      shell,
      // Whether there is a sandbox may be found out on the first question, at a cost.
      get sandbox() {
        return processes.sandbox;
      },
    }),
  };
}

/** An effect whose file target is the real workspace path. Errors: those of `Workspace.resolvePath`. */
export async function resolveEffect(workspace: Workspace, effect: Effect): Promise<Effect> {
  const [resolved = effect] = await resolveAll(workspace, [effect]);
  return resolved;
}

function withPath({ kind, method }: Effect, real: string, tree: boolean): Effect {
  const target = !tree ? real : real === '' ? '**' : `${real}/**`;
  return method === undefined ? { kind, target } : { kind, target, method };
}

function touchesFile({ kind, target }: Effect): boolean {
  return (kind === 'read' || kind === 'write') && !isArtifactUri(target);
}

import type { ApprovalAnswer, PendingApproval, PreparedCall } from '../approval/approval.ts';
import { unknownApproval, type TakenApproval } from '../approval/approvals.ts';
import type { ArtifactAccess } from '../artifacts/artifact-access.ts';
import type { ArtifactInfo } from '../artifacts/artifact-store.ts';
import { SessionClosedError } from '../errors/session-closed-error.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { EventOptions, EventStream } from '../events/tool-event.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import type { JsonArray, JsonObject } from '../json/json.ts';
import type { CallRequest } from '../kernel/call-request.ts';
import { createPending } from '../kernel/confirm.ts';
import { judge } from '../kernel/decide-policy.ts';
import { bindOnly, invoke } from '../kernel/invoke.ts';
import type { KernelSession } from '../kernel/kernel-session.ts';
import { shareAdmission } from '../kernel/share-admission.ts';
import { takeAnswer } from '../kernel/take-answer.ts';
import { thrownMessage } from '../kernel/thrown-message.ts';
import type { PolicyDecision } from '../policy/policy-decision.ts';
import type { PolicyRule } from '../policy/policy-rule.ts';
import type { ProviderConnection } from '../provider/provider.ts';
import type { Effect } from '../tool/effects.ts';
import type { ToolCatalog, ToolDefinition } from '../tool/tool-catalog.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import { toModelSchema } from '../schema/to-model-schema.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { compareUtf8 } from '../workspace/workspace-path.ts';
import { undoTool } from '../undo/undo-tool.ts';
import { closeKernelSession, closePart } from './open-session.ts';
import {
  SessionVerification,
  type Verification,
  type VerifyCommandsOptions,
} from '../verification/session-verification.ts';
import type { VerificationReport } from '../verification/verification-report.ts';
import type { VerificationCommand } from '../verification/verify-commands.ts';
import type { CallOptions, InvokeOptions, Session, UndoableCall } from './session.ts';
import type { SessionSnapshot } from './snapshot.ts';
import type { ActiveCall, SurfaceEntry } from './surface.ts';

/** What a live session is made from. */
export interface LiveSessionOptions {
  readonly kernel: KernelSession;
  readonly connections: readonly ProviderConnection[];
  readonly instructions: readonly string[];
}

/** The tool that verification runs commands with. */
const verifyingTool = 'bash';

/** The session that hosts hold: every method that runs something goes through the kernel. */
export class LiveSession implements Session {
  readonly #kernel: KernelSession;
  readonly #connections: readonly ProviderConnection[];
  readonly #instructions: readonly string[];
  readonly #verification: SessionVerification;
  #closing: Promise<void> | undefined;

  constructor(options: LiveSessionOptions) {
    this.#kernel = options.kernel;
    this.#connections = options.connections;
    this.#instructions = options.instructions;
    this.#verification = this.#createVerification();
  }

  get id(): string {
    return this.#kernel.id;
  }

  get catalog(): ToolCatalog {
    return this.#kernel.registry.catalog;
  }

  get tainted(): boolean {
    return this.#kernel.policy.tainted;
  }

  get artifacts(): ArtifactAccess & { list(): Promise<readonly ArtifactInfo[]> } {
    const { artifacts, sanitiser } = this.#kernel;
    const assertOpen = (): void => this.#assertOpen();
    const { access } = artifacts.access({
      tool: 'host',
      holder: artifacts.holder('host'),
      assertAlive: assertOpen,
      assertOpen,
      byteStream: sanitiser.byteStream,
    });
    return { ...access, list: () => artifacts.list() };
  }

  toolNames(): readonly string[] {
    return this.#kernel.registry.visible().map(({ name }) => name);
  }

  toolDefinitions(): readonly ToolDefinition[] {
    return this.#kernel.registry.visible().map(({ name, tool }) => ({
      name,
      description: tool.description,
      parameters: toModelSchema(tool.input),
      ...(tool.output === undefined ? {} : { output: tool.output }),
    }));
  }

  surface(): readonly SurfaceEntry[] {
    return this.#kernel.registry.surface();
  }

  activeTools(): readonly ActiveCall[] {
    return this.#kernel.active.values().map(({ id, name, parentId, stage }) => ({
      id,
      name,
      parentId,
      stage,
    }));
  }

  instructions(): string {
    return this.#instructions.join('\n\n');
  }

  tool(
    name: string,
    args: JsonObject = {},
    options: CallOptions & { readonly id?: string } = {},
  ): Promise<ToolResult> {
    return this.#run({
      id: options.id ?? this.#kernel.nextId('host'),
      name,
      arguments: args,
      origin: 'host',
      signals: [options.signal],
      timeoutMs: options.timeoutMs,
    });
  }

  invoke(call: ToolCall, options: InvokeOptions = {}): Promise<ToolResult> {
    const { approval } = options;
    const request = this.#agentRequest(call, options);
    if (approval === undefined) return this.#run(request);
    return this.#runWithVerdict(approval.id, { decision: 'approve' }, () => request);
  }

  async prepare(call: ToolCall): Promise<PreparedCall> {
    return this.#clean(await this.#prepare(call));
  }

  async #prepare(call: ToolCall): Promise<PreparedCall> {
    this.#assertOpen();
    const kernel = this.#kernel;
    try {
      const bound = await bindOnly(kernel, this.#agentRequest(call, {}));
      const decision = judge(kernel, bound, bound.effects);
      const prepared = {
        decision: decision.decision,
        rule: decision.rule ?? null,
        reason: decision.reason,
        effects: bound.effects,
      };
      if (decision.decision !== 'ask') return prepared;
      const known = kernel.approvals.find(bound.invocation.id, bound.digests);
      // One that shows what the call would no longer touch could not be used.
      if (
        known !== undefined &&
        canonicalJson(toJson(known)) ===
          canonicalJson(toJson({ effects: this.#clean(bound.effects) }))
      ) {
        return { ...prepared, approval: known };
      }
      const approval = createPending(kernel, bound, { decision, effects: bound.effects });
      await kernel.approvals.add(approval, bound.args);
      return { ...prepared, approval };
    } catch (error) {
      return { decision: 'deny', rule: null, reason: whyNot(call, error), effects: [] };
    }
  }

  async explain(call: ToolCall): Promise<PolicyDecision> {
    this.#assertOpen();
    try {
      const bound = await bindOnly(this.#kernel, this.#agentRequest(call, {}));
      return this.#clean(judge(this.#kernel, bound, bound.effects));
    } catch (error) {
      return this.#clean({ decision: 'deny', effects: [], reason: whyNot(call, error) });
    }
  }

  async answer(
    approvalId: string,
    answer: ApprovalAnswer,
    options: CallOptions = {},
  ): Promise<ToolResult> {
    this.#assertOpen();
    const taken = takeAnswer(answer);
    const live = this.#kernel.approvals.live(approvalId);
    if (live !== undefined) {
      return live.settle(taken) ? live.result : this.#refuseAnswer(unknownApproval());
    }
    const edited = taken.decision === 'approve' ? taken.arguments : undefined;
    return this.#runWithVerdict(approvalId, taken, ({ approval, arguments: given }) => {
      const { id, name } = approval.call;
      return this.#agentRequest({ id, name, arguments: edited ?? given }, options);
    });
  }

  pendingApprovals(): readonly PendingApproval[] {
    return this.#kernel.approvals.list();
  }

  grants(): readonly PolicyRule[] {
    return this.#kernel.policy.grants();
  }

  events(options?: EventOptions): EventStream {
    return this.#kernel.events.open(options);
  }

  release(invocationId: string): Promise<void> {
    return this.#kernel.artifacts.release(invocationId);
  }

  undo(invocationId: string): Promise<ToolResult> {
    return this.#run({
      id: this.#kernel.nextId('undo'),
      name: 'undo',
      arguments: { invocation_id: invocationId },
      origin: 'host',
      signals: [],
      internalTool: undoTool(this.#kernel.journal),
    });
  }

  async undoable(): Promise<readonly UndoableCall[]> {
    this.#assertOpen();
    const entries = await this.#kernel.journal.list();
    const undoable = entries
      .filter((entry) => entry.not_undoable === undefined)
      .map(({ invocation_id: id, tool, files }) => ({
        id,
        tool,
        paths: files.map(({ path }) => path).sort(compareUtf8),
      }));
    return this.#clean(undoable);
  }

  get verification(): Verification {
    return this.#verification;
  }

  async verifyCommands(
    subject: string,
    commands: readonly VerificationCommand[],
    options?: VerifyCommandsOptions,
  ): Promise<VerificationReport> {
    this.#assertOpen();
    try {
      return await this.#verification.verify(subject, commands, options);
    } catch (error) {
      this.#assertOpen();
      throw error;
    }
  }

  async snapshot(): Promise<SessionSnapshot> {
    const kernel = this.#kernel;
    return {
      schema: 'toolwright.session-snapshot.v1',
      session_id: kernel.id,
      projection: kernel.projection,
      loaded_tools: kernel.registry.loaded(),
      pending_approvals: kernel.approvals.list(),
      grants: kernel.policy.grants(),
      tainted: kernel.policy.tainted,
      artifacts: await kernel.artifacts.list(),
    };
  }

  async ready(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.ready));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await closeKernelSession(this.#kernel);
    await Promise.all(this.#connections.map((connection) => closePart(() => connection.close())));
  }

  #createVerification(): SessionVerification {
    const kernel = this.#kernel;
    return new SessionVerification({
      files: kernel.workspace.files,
      changesDigest: () => kernel.journal.changesDigest(),
      runShell: (args, { signal, beside }) =>
        this.#run({
          id: kernel.nextId('verify'),
          name: verifyingTool,
          arguments: args,
          origin: 'host',
          signals: [signal],
          sharesAdmission: beside,
        }),
      together: (run, signal) => shareAdmission(kernel, { tool: verifyingTool, signal, run }),
    });
  }

  /** What is told of a call, secrets hidden. */
  #clean<T>(told: T): T {
    const { sanitiser } = this.#kernel;
    return sanitiser.active ? sanitiser.json(told) : told;
  }

  #agentRequest(call: ToolCall, options: CallOptions): CallRequest {
    return {
      id: call.id ?? this.#kernel.nextId('call'),
      name: call.name,
      arguments: call.arguments,
      origin: 'agent',
      signals: [options.signal],
      timeoutMs: options.timeoutMs,
    };
  }

  /** Runs a call with an answer that was given before it; an approval that cannot be taken is its refusal. */
  async #runWithVerdict(
    approvalId: string,
    answer: ApprovalAnswer,
    toRequest: (taken: TakenApproval) => CallRequest,
  ): Promise<ToolResult> {
    try {
      const taken = await this.#kernel.approvals.take(approvalId);
      const verdict = { approval: taken.approval, answer };
      return await this.#run({ ...toRequest(taken), verdict });
    } catch (error) {
      if (!ToolError.isInstance(error)) throw error;
      return this.#refuseAnswer(error);
    }
  }

  #refuseAnswer(refusal: ToolError): Promise<ToolResult> {
    const id = this.#kernel.nextId('answer');
    return this.#run({ ...this.#agentRequest({ id, name: 'answer' }, {}), refusal });
  }

  #run(request: CallRequest): Promise<ToolResult> {
    if (this.#closing !== undefined) return Promise.reject(new SessionClosedError(this.id));
    return invoke(this.#kernel, request);
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new SessionClosedError(this.id);
  }
}

/** Why a call that was only looked at would fail; a defect of its tool too, as when it is made. */
function whyNot({ name }: ToolCall, error: unknown): string {
  return ToolError.isInstance(error)
    ? error.message
    : `${name} failed unexpectedly: ${thrownMessage(error)}`;
}

/** The effects of a call as plain JSON. */
function toJson({ effects }: { readonly effects: readonly Effect[] }): JsonArray {
  return effects.map((effect) => ({ ...effect }));
}

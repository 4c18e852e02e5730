// The public surface of the contract: every name here is API.
export type {
  ApprovalAnswer,
  ApprovalDigests,
  Approver,
  PendingApproval,
  PreparedCall,
} from './approval/approval.ts';
export type { ArtifactAccess } from './artifacts/artifact-access.ts';
export { isArtifactUri } from './artifacts/artifact-access.ts';
export type {
  ArtifactInfo,
  ArtifactRange,
  ArtifactRead,
  ArtifactRetention,
  ArtifactStore,
  ArtifactWriteOptions,
  ArtifactWriter,
  NotRetainedReason,
} from './artifacts/artifact-store.ts';
export {
  memoryArtifactStore,
  type MemoryArtifactStoreOptions,
} from './artifacts/memory-artifact-store.ts';
export type { Budget, BudgetDecision, BudgetRequest, BudgetUsage } from './budget/budget.ts';
export { toolErrorTypes, type Stage, type ToolErrorType } from './errors/error-type.ts';
export { SessionClosedError } from './errors/session-closed-error.ts';
export { ToolError, type ToolErrorObject, type ToolErrorOptions } from './errors/tool-error.ts';
export type {
  EventEnvelope,
  EventOptions,
  EventStream,
  ToolEvent,
  ToolEventBody,
} from './events/tool-event.ts';
export type { BeforeToolDecision, HookCall, HookOptions, Hooks } from './hooks/hooks.ts';
export { createHost } from './host/create-host.ts';
export type { HelpersOf, Host, HostOptions, OpenOptions, ResumeOptions } from './host/host.ts';
export type { JsonArray, JsonObject, JsonValue } from './json/json.ts';
export {
  cursorOfOffset,
  offsetOfCursor,
  paginate,
  type Page,
  type PageRequest,
} from './paging/page.ts';
export type { EffectDecision, PolicyDecision } from './policy/policy-decision.ts';
export type { Decision, PolicyInput, PolicyPreset, PolicyRule } from './policy/policy-rule.ts';
export type { ProjectionPolicy } from './projection/policy.ts';
export { defineProvider, type NoHelpers, type ProviderSpec } from './provider/define-provider.ts';
export type { HelperSession } from './provider/helper-session.ts';
export type {
  ConnectContext,
  ConnectWorkspace,
  Helpers,
  Provider,
  ProviderConnection,
} from './provider/provider.ts';
export type { InferJsonSchema, InferSchema, SchemaInput } from './schema/infer-input.ts';
export type { JsonSchema } from './schema/json-schema.ts';
export type { StandardJsonSchema } from './schema/standard-json-schema.ts';
export type { BrowserClient, RenderedPage, RenderRequest } from './services/browser-client.ts';
export type { EmbeddingClient } from './services/embedding-client.ts';
export type {
  HttpClient,
  HttpEgressFinding,
  HttpRedirect,
  HttpRequest,
  HttpResponse,
} from './services/http-client.ts';
export type {
  ModelClient,
  ModelRequest,
  ModelResponse,
  ModelUsage,
} from './services/model-client.ts';
export { httpStatusError } from './services/http-status-error.ts';
export { parseRetryAfter } from './services/retry-after.ts';
export {
  capabilityIds,
  type CapabilityId,
  type HostServices,
  type ServiceCapability,
} from './services/services.ts';
export { toSourceAnchor } from './services/source-anchor.ts';
export type { CallOptions, InvokeOptions, Session, UndoableCall } from './session/session.ts';
export type { SessionSnapshot } from './session/snapshot.ts';
export type { ActiveCall, SurfaceEntry } from './session/surface.ts';
export type { StateStore } from './state/state-store.ts';
export type { InvocationRecord, Telemetry } from './telemetry/telemetry.ts';
export {
  allowsParallelBatch,
  cautiousCapabilities,
  paginatedRead,
  parallelRead,
  type OutputKind,
  type ToolCapabilities,
} from './tool/capabilities.ts';
export { defaultTimeoutMs, defineTool } from './tool/define-tool.ts';
export type { Effect, EffectKind } from './tool/effects.ts';
export { commandTarget } from './tool/effects.ts';
export type { Origin, ToolCall } from './tool/tool-call.ts';
export type {
  CatalogEntry,
  LoadOutcome,
  ToolCatalog,
  ToolDefinition,
  ToolState,
} from './tool/tool-catalog.ts';
export type {
  ClampedLimit,
  BeforeRun,
  InvocationInfo,
  InvocationLimits,
  NestedCallOptions,
  SessionResource,
  ToolContext,
  ToolContextBase,
  ToolProgress,
  UserAnswer,
  UserQuestion,
} from './tool/tool-context.ts';
export type { ContentBlock, ToolOutput, Trust } from './tool/tool-output.ts';
export type { ToolResult } from './tool/tool-result.ts';
export type {
  DescribeContext,
  DescribeWorkspace,
  KernelContext,
  Tool,
  ToolSpec,
} from './tool/tool.ts';
export type {
  CancelOptions,
  DirectoryEntry,
  FileKind,
  FileReader,
  FileReadOptions,
  FileStat,
  WorkspaceFiles,
} from './workspace/files.ts';
export type { GitRequest, RepositoryPlace, WorkspaceGit } from './workspace/git.ts';
export type {
  BackgroundProcess,
  ProcessExit,
  ProcessHandle,
  ProcessOutput,
  SandboxMode,
  ShellKind,
  SpawnRequest,
  WorkspaceProcesses,
} from './workspace/processes.ts';
export type {
  GrepFile,
  GrepGather,
  GrepLine,
  GrepOutcome,
  GrepPattern,
  GrepRequest,
  GrepTextRequest,
  WorkspaceSearch,
} from './workspace/search.ts';
export type { WalkEntry, WalkOptions, WorkspaceWalker } from './workspace/walker.ts';
export {
  workspaceFields,
  type PathFolding,
  type Workspace,
  type WorkspaceCapability,
  type WorkspaceFields,
  type WorkspaceLocal,
  type WorkspaceServices,
} from './workspace/workspace.ts';
export type {
  ExpectedVersion,
  PromotedChange,
  StagedFile,
  StageFileOptions,
  WorkspaceChange,
  WorkspaceWriter,
  WriteTransaction,
} from './workspace/writer.ts';
export {
  memoryWorkspace,
  type MemoryWorkspaceOptions,
} from './workspace/memory/memory-workspace.ts';
export { credentialDenied, isCredentialPath, isForeignTree } from './workspace/credential-path.ts';
export {
  baseName,
  compareUtf8,
  lexicalPath,
  namesDirectory,
  notAFileName,
  outsideWorkspace,
  parentPath,
  pathNotFound,
  versionConflict,
} from './workspace/workspace-path.ts';
export { sha256Hex, createSha256 } from './digest/sha256.ts';
export type { Sha256Hasher } from './digest/sha256-hasher.ts';
export { netEffect } from './kernel/guarded-services.ts';
export {
  conservativeProjection,
  contextEfficientProjection,
  parseProjectionPolicy,
} from './projection/policy.ts';
export { fromArtifactUri, toArtifactId, toArtifactUri } from './artifacts/artifact-uri.ts';
export { canonicalJson } from './json/canonical-json.ts';
export { isJsonArray, isJsonObject } from './json/json.ts';
export { nearestName } from './validation/nearest-name.ts';
export {
  createValidator,
  type ValidationResult,
  type Validator,
  type ValidatorOptions,
} from './validation/validator.ts';
export { createBudget, type BudgetLimits, type BudgetOptions } from './budget/create-budget.ts';
export { createSanitiser, type Sanitiser, type SanitiserStream } from './sanitise/sanitiser.ts';
export {
  projectionPolicyDigest,
  isTransformBinding,
  type TransformBinding,
} from './projection/transform-binding.ts';
export {
  EVIDENCE_KEY,
  TRANSFORM_BINDING_KEY,
  ARTIFACT_KEY,
  type ArtifactMetadata,
} from './evidence/result-metadata.ts';
export type { ToolResultEvidence } from './evidence/tool-result-evidence.ts';
export type { LossMode } from './projection/projection.ts';
export { formatRule } from './policy/parse-rule.ts';
export { describePreset } from './policy/presets.ts';
export { PolicyError } from './policy/policy-error.ts';
export { fromForeignSchema, type ForeignSchema } from './schema/from-foreign-schema.ts';
export { toModelSchema } from './schema/to-model-schema.ts';
export type { ArgumentRepair, ClampedArgument } from './validation/repair-arguments.ts';
export type { Verification, VerifyCommandsOptions } from './verification/session-verification.ts';
export { verificationPresets, type ReadProjectFile } from './verification/verification-presets.ts';
export type {
  CheckKind,
  CheckStatus,
  VerificationCheck,
  VerificationReport,
} from './verification/verification-report.ts';
export { isVerified, type VerificationSummary } from './verification/verification-summary.ts';
export type { VerificationCommand } from './verification/verify-commands.ts';

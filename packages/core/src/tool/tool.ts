import type { InferSchema, SchemaInput } from '../schema/infer-input.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { CapabilityId } from '../services/services.ts';
import type { WorkspaceProcesses } from '../workspace/processes.ts';
import type { ToolCapabilities } from './capabilities.ts';
import type { Effect } from './effects.ts';
import type { ToolContext } from './tool-context.ts';
import type { ToolOutput } from './tool-output.ts';

/** What `effects` is handed beside the arguments. */
export interface DescribeContext {
  readonly signal: AbortSignal;
  readonly workspace: DescribeWorkspace;
}

/** What effects may depend on: where paths lead, and how commands would run. Nothing here has an effect. */
export interface DescribeWorkspace {
  /** As `Workspace.resolvePath`. */
  resolvePath(path: string): Promise<string>;
  /** Absent where the workspace runs no commands. */
  readonly processes?: Pick<WorkspaceProcesses, 'sandbox' | 'shell'>;
}

/**
 * What a tool's author writes; `defineTool` infers the types of `input` and of the context from it.
 * Capabilities may be partial: what is not said is the cautious default. A tool without `effects` is taken
 * to do anything, so policy asks every time.
 */
export interface ToolSpec<
  Input extends SchemaInput,
  Output extends SchemaInput,
  Requires extends readonly CapabilityId[],
  Uses extends readonly CapabilityId[],
> {
  /** `^[A-Za-z][A-Za-z0-9_-]{0,63}$`, unique in a session. */
  readonly name: string;
  readonly title?: string;
  /** One paragraph for a model: what it does, when to use it, when not. */
  readonly description: string;
  /** A closed object schema without a top-level union, transforms or refinements. */
  readonly input: Input;
  /** The schema of `structured`, where the tool promises one; a result that breaks it is `internal`. */
  readonly output?: Output;
  /** Arguments that are valid; checked at definition, shown to models in the schema. */
  readonly examples?: readonly InferExample<Input>[];
  /** Synonyms that `tool_search` finds the tool by. */
  readonly keywords?: readonly string[];
  /** What must be there; without it the tool is absent, with the reason. */
  readonly requires?: Requires;
  /** What the tool takes advantage of where it is there. */
  readonly uses?: Uses;
  /** `visible` (default), `hidden` (host and allow-listed nested calls alone) or `deferred` (until loaded). */
  readonly visibility?: 'visible' | 'hidden' | 'deferred';
  /** The tool calls other tools: it holds no lock and no lane while they run, and cannot call itself. */
  readonly orchestrator?: boolean;
  /** The description comes from outside; see `CatalogEntry.untrusted`. */
  readonly untrusted?: boolean;
  /** Milliseconds that `run` may take. Default 120,000. */
  readonly timeoutMs?: number | ((input: InferSchema<Input>) => number);
  readonly capabilities?:
    | Partial<ToolCapabilities>
    | ((input: InferSchema<Input>) => Partial<ToolCapabilities>);
  effects?(
    input: InferSchema<Input>,
    context: DescribeContext,
  ): readonly Effect[] | Promise<readonly Effect[]>;
  run(
    input: InferSchema<Input>,
    context: ToolContext<Requires[number], Uses[number]>,
  ): Promise<ToolOutputOf<Output>>;
}

type InferExample<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer I }
    ? I
    : never
  : Readonly<Record<string, unknown>>;

type ToolOutputOf<S extends SchemaInput> = string extends keyof S
  ? ToolOutput
  : Omit<ToolOutput, 'structured'> & { readonly structured: InferSchema<S> };

/**
 * A tool as the kernel keeps it: schemas normalised, everything optional filled in. Made by `defineTool`
 * alone, which checks it; methods take arguments that the kernel has validated.
 */
export interface Tool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  /** Canonical, closed, self-contained JSON Schema 2020-12, examples included. */
  readonly input: JsonSchema;
  readonly output: JsonSchema | undefined;
  readonly examples: readonly unknown[];
  readonly keywords: readonly string[];
  readonly requires: readonly CapabilityId[];
  readonly uses: readonly CapabilityId[];
  readonly visibility: 'visible' | 'hidden' | 'deferred';
  readonly orchestrator: boolean;
  readonly untrusted: boolean;
  timeoutMs(input: unknown): number;
  capabilities(input: unknown): ToolCapabilities;
  effects(input: unknown, context: DescribeContext): readonly Effect[] | Promise<readonly Effect[]>;
  run(input: unknown, context: KernelContext): Promise<ToolOutput>;
}

/** The context as the kernel builds it, before a tool's own type narrows it. */
export type KernelContext = ToolContext<never, CapabilityId>;

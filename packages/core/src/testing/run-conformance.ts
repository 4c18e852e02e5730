import { toolErrorTypes } from '../errors/error-type.ts';
import { createHost } from '../host/create-host.ts';
import type { JsonObject } from '../json/json.ts';
import type { Provider } from '../provider/provider.ts';
import type { HostServices } from '../services/services.ts';
import type { Tool } from '../tool/tool.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { createValidator } from '../validation/validator.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { conformanceChecks } from './conformance-checks.ts';
import { recordingWorkspace, type WorkspaceRecord } from './recording-workspace.ts';

/** What a provider is checked with. */
export interface ConformanceOptions {
  /** A fresh workspace with the same content each time; the examples of the tools are run on it. */
  readonly workspace: () => Workspace | Promise<Workspace>;
  readonly services?: HostServices;
  /** Tools whose output may differ from call to call: times, random values, live servers. */
  readonly varying?: readonly string[];
}

/** How one check of one tool went. */
export interface ConformanceCheck {
  readonly tool: string;
  readonly check: string;
  readonly ok: boolean;
  /** What was wrong. */
  readonly detail?: string;
}

/** How all checks went. */
export interface ConformanceReport {
  readonly provider: string;
  readonly ok: boolean;
  readonly checks: readonly ConformanceCheck[];
}

/** One call on a fresh workspace, and what was seen of it. */
export interface Observed {
  readonly result: ToolResult;
  readonly record: WorkspaceRecord;
  /** The same some milliseconds after the session closed: what came late shows here. */
  readonly later: WorkspaceRecord;
}

/** What a check may use. */
export interface Bench {
  readonly tool: Tool;
  readonly varies: boolean;
  /** Runs one call; `cancelAt` aborts it at that operation of the workspace, 0 before it begins. */
  observe(args: JsonObject, cancelAt?: number): Promise<Observed>;
}

/** Milliseconds in which something that goes on after its call may show. */
const lateMs = 20;

/** Checks every tool of a provider. Never rejects for what a tool does: that is in the report. */
export async function runConformance(
  provider: Provider,
  options: ConformanceOptions,
): Promise<ConformanceReport> {
  const checks: ConformanceCheck[] = [];
  for (const tool of provider.tools) {
    for (const name of Object.keys(conformanceChecks)) {
      checks.push(await runCheck({ provider, tool, name }, options));
    }
  }
  return { provider: provider.name, ok: checks.every(({ ok }) => ok), checks };
}

/** Runs one check of one tool. */
export async function runCheck(
  what: { readonly provider: Provider; readonly tool: Tool; readonly name: string },
  options: ConformanceOptions,
): Promise<ConformanceCheck> {
  const { provider, tool, name } = what;
  try {
    await conformanceChecks[name]?.({
      tool,
      varies: options.varying?.includes(tool.name) ?? false,
      observe: (args, cancelAt) => observe({ provider, tool, options }, args, cancelAt),
    });
    return { tool: tool.name, check: name, ok: true };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { tool: tool.name, check: name, ok: false, detail };
  }
}

async function observe(
  what: { readonly provider: Provider; readonly tool: Tool; readonly options: ConformanceOptions },
  args: JsonObject,
  cancelAt?: number,
): Promise<Observed> {
  const { provider, tool, options } = what;
  const controller = new AbortController();
  const recording = recordingWorkspace(await options.workspace(), (nth) => {
    if (nth === cancelAt) controller.abort();
  });
  if (cancelAt === 0) controller.abort();
  const session = await createHost({ providers: [provider] }).open({
    workspace: recording.workspace,
    ...(options.services !== undefined && { services: options.services }),
  });
  const result = await session.tool(tool.name, args, { signal: controller.signal });
  const record = recording.record();
  await session.close();
  await new Promise((resolve) => {
    setTimeout(resolve, lateMs);
  });
  return { result, record, later: recording.record() };
}

/** The arguments that a tool gives as its examples, as its own schema admits them. Errors: a refused example. */
export function examplesOf(tool: Tool): readonly JsonObject[] {
  const validator = createValidator(tool.input);
  return tool.examples.map((example, index) => {
    // Examples are checked here and now: what is no JSON object is refused by the validator.
    const checked = validator.validate(example as JsonObject);
    if (!checked.valid) throw new Error(`Example ${index + 1} is refused: ${checked.message}`);
    if (checked.repairs.length > 0) throw new Error(`Example ${index + 1} needs to be repaired.`);
    return checked.value;
  });
}

/** Throws unless an error is absent or one of the closed list and no defect. */
export function assertTyped({ error }: ToolResult): void {
  if (error === null) return;
  if (!toolErrorTypes.includes(error.type) || error.type === 'internal') {
    throw new Error(`It failed with ${error.type}: ${error.message}`);
  }
}

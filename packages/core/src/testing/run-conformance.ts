import { createHost } from '../host/create-host.ts';
import type { EventStream } from '../events/tool-event.ts';
import type { JsonObject } from '../json/json.ts';
import type { Provider } from '../provider/provider.ts';
import type { HostServices } from '../services/services.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { conformanceChecks } from './conformance-checks.ts';
import type { Observation, Observed } from './conformance-bench.ts';
import { recordingWorkspace, type WorkspaceRecord } from './recording-workspace.ts';
import { stateOfFiles } from './state-of-files.ts';

/** What a provider is checked with. */
export interface ConformanceOptions {
  /** A fresh workspace with the same content each time; the examples of the tools are run on it. */
  readonly workspace: () => Workspace | Promise<Workspace>;
  readonly services?: HostServices;
  /** Providers of the tools that an orchestrator's examples call; not checked themselves. */
  readonly alongside?: readonly Provider[];
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

/** Milliseconds in which something that goes on after its call may show. */
const lateMs = 20;

/** Milliseconds after which a call is cancelled while it runs. */
const soonMs = 5;

/** Milliseconds that a cancelled tool has to settle: far more than one that heeds its signal takes. */
const settleMs = 3_000;

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
      observe: (args, how) => observe({ provider, tool, options }, args, how),
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
  how: Observation = {},
): Promise<Observed> {
  const { provider, tool, options } = what;
  const { cancelAt, times = 1, atOnce = false } = how;
  const controller = new AbortController();
  const workspace = await options.workspace();
  const recording = recordingWorkspace(workspace, (nth) => {
    if (nth === cancelAt) controller.abort();
  });
  if (cancelAt === 0) controller.abort();
  let settled: WorkspaceRecord | undefined;
  const watched = watch(provider, tool, () => (settled = recording.record()));
  const session = await createHost({ providers: [watched, ...(options.alongside ?? [])] }).open({
    workspace: recording.workspace,
    ...(options.services !== undefined && { services: options.services }),
  });
  const refused = refusals(session.events(), tool.name);
  const stream = session.events();
  const call = (given: JsonObject): Promise<ToolResult> =>
    session.tool(tool.name, given, { signal: controller.signal });
  const soon = cancelAt === 'soon' ? setTimeout(() => controller.abort(), soonMs) : undefined;
  const beside = atOnce ? Array.from({ length: times - 1 }, () => call(args)) : [];
  const result = await call(args);
  clearTimeout(soon);
  const isStopped = cancelAt !== undefined && result.error?.['may_still_run'] === true;
  const goesOn = isStopped && !(await settlesLate(stream));
  stream.close();
  const others = await Promise.all(beside);
  while (others.length < times - 1) others.push(await call(args));
  const next = how.next?.(result);
  if (next !== undefined) others.push(await call(next));
  const record = recording.record();
  await session.close();
  await new Promise((resolve) => {
    setTimeout(resolve, lateMs);
  });
  return {
    result,
    others,
    record,
    later: recording.record(),
    settled: settled ?? record,
    refused: await refused,
    state: how.state === true ? await stateOfFiles(workspace) : '',
    goesOn,
  };
}

/** What a tool was refused while its session was open. */
async function refusals(stream: EventStream, tool: string): Promise<readonly string[]> {
  const refused: string[] = [];
  for await (const event of stream) {
    if (event.type === 'effect_refused' && event.tool_name === tool) refused.push(event.message);
  }
  return refused;
}

/** The same provider, whose tool tells when it has settled. */
function watch(provider: Provider, tool: Tool, onSettled: () => void): Provider {
  const run: Tool['run'] = async (input, context) => {
    try {
      return await tool.run(input, context);
    } finally {
      onSettled();
    }
  };
  const tools = provider.tools.map((one) => (one === tool ? { ...tool, run } : one));
  return { ...provider, tools };
}

/** Whether a tool whose call has ended settles all the same, within its time. */
async function settlesLate(stream: EventStream): Promise<boolean> {
  const timer = setTimeout(() => stream.close(), settleMs);
  try {
    for await (const { type } of stream) if (type === 'tool_late_result') return true;
    return false;
  } finally {
    clearTimeout(timer);
  }
}

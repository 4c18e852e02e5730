import type { JsonObject, KernelContext, ToolOutput } from '@toolwright/core';
import { toExportName } from './export-name.ts';
import { toForeignTool, type ForeignTool } from './foreign-tool.ts';
import { listTools } from './list-tools.ts';
import type { McpDefinitionChange, McpEvent } from './mcp-event.ts';
import type { Link } from './open-link.ts';
import type { PinStore } from './pin-store.ts';
import { Pins } from './pins.ts';
import type { ServerSettings } from './server-config.ts';
import { untilAborted } from './until-aborted.ts';

/** A tool that cannot be offered, by the name that it would have. */
export interface DroppedTool {
  readonly name: string;
  readonly reason: string;
}

/** What the tools of a server are kept with. */
export interface ServerToolsOptions {
  readonly settings: ServerSettings;
  readonly call: (
    foreign: ForeignTool,
    input: JsonObject,
    context: KernelContext,
  ) => Promise<ToolOutput>;
  readonly onEvent: (event: McpEvent) => void;
  /** Where definitions that were seen are kept beyond this session; nowhere without it. */
  readonly pins: PinStore | undefined;
}

/** Warnings that are kept of one list. */
const MAX_WARNINGS = 100;

/** The tools of one server: as it lists them now, and as they were first seen. */
export class ServerTools {
  readonly #options: ServerToolsOptions;
  readonly #pins: Pins;
  #tools: readonly ForeignTool[] = [];
  #dropped: readonly DroppedTool[] = [];
  #warnings: readonly string[] = [];

  constructor(options: ServerToolsOptions) {
    this.#options = options;
    this.#pins = new Pins(options.pins);
  }

  get tools(): readonly ForeignTool[] {
    return this.#tools;
  }

  get dropped(): readonly DroppedTool[] {
    return this.#dropped;
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /**
   * Takes over the server's list; changes are told when `tells` says so. Resolves to the milliseconds in which that kept
   * this process from anything else. Errors: those of the requests.
   */
  async read(
    link: Link,
    options: { readonly signal: AbortSignal; readonly tells: boolean },
  ): Promise<number> {
    const { settings } = this.#options;
    const { name, connectTimeoutMs } = settings;
    await untilAborted(this.#pins.load(), options.signal);
    const listing =
      link.client.getServerCapabilities()?.tools === undefined
        ? { tools: [], malformed: [], warnings: [], busyMs: 0 }
        : await listTools(link.client, { signal: options.signal, timeoutMs: connectTimeoutMs });
    const startedAt = performance.now();
    const tools: ForeignTool[] = [];
    const dropped: DroppedTool[] = listing.malformed.map((item) => ({
      name: toExportName(name, item.name),
      reason: `server ${name} describes it wrongly: ${item.reason}`,
    }));
    const warnings = [...listing.warnings];
    const known = new Map(this.#tools.map((foreign) => [foreign.original, foreign]));
    for (const listed of listing.tools) {
      if (!isWanted(listed.name, settings)) continue;
      const reading = toForeignTool(listed, {
        settings,
        mirrorsHeaders: link.era === 'modern' && link.kind !== 'stdio',
        isChanged: (pin) => this.#pins.isChanged(listed.name, pin),
        run: this.#options.call,
      });
      if (!reading.ok) {
        dropped.push({ name: reading.name, reason: `tool of server ${name}: ${reading.reason}` });
        continue;
      }
      const { foreign } = reading;
      if (foreign.needsTask) {
        const reason = `server ${name} runs it only as a task, which is not supported`;
        dropped.push({ name: foreign.tool.name, reason });
        continue;
      }
      warnings.push(...foreign.warnings.map((warning) => `${listed.name}: ${warning}`));
      const before = known.get(foreign.original);
      // An unchanged tool stays the object that it was, with its compiled schema.
      tools.push(before?.pin === foreign.pin ? before : foreign);
      this.#pin(foreign);
    }
    if (options.tells) this.#tellChanges(tools);
    this.#tools = tools;
    this.#dropped = dropped;
    this.#warnings = warnings.slice(0, MAX_WARNINGS);
    const busyMs = listing.busyMs + performance.now() - startedAt;
    await untilAborted(this.#pins.save(), options.signal);
    return busyMs;
  }

  /** The tools that are no longer what the host knows them to be, and how. */
  changes(): readonly McpDefinitionChange[] {
    const { name: server } = this.#options.settings;
    return this.#tools.flatMap((foreign) => {
      const change = this.#pins.change(foreign.original, foreign);
      if (change === undefined) return [];
      return [{ server, tool: foreign.tool.name, original: foreign.original, ...change }];
    });
  }

  /**
   * The definitions of now, of all tools or of those that are named (by the server's names or by ours), are the ones
   * that the host knows; returns which of them had changed. Errors: `TypeError` for a tool that there is not.
   */
  async accept(names?: readonly string[]): Promise<readonly string[]> {
    const chosen = names?.map((name) => this.#named(name)) ?? this.#tools;
    const changed = chosen.filter(({ original, pin }) => this.#pins.isChanged(original, pin));
    for (const foreign of chosen) this.#pins.accept(foreign.original, foreign);
    await this.#pins.save();
    return changed.map(({ tool }) => tool.name);
  }

  /** None of the tools can be called any more. */
  dropAll(reason: string): void {
    this.#dropped = [
      ...this.#dropped,
      ...this.#tools.map(({ tool }) => ({ name: tool.name, reason })),
    ];
    this.#tools = [];
  }

  #named(name: string): ForeignTool {
    const found =
      this.#tools.find(({ original }) => original === name) ??
      this.#tools.find(({ tool }) => tool.name === name);
    if (found !== undefined) return found;
    throw new TypeError(
      `The MCP server ${this.#options.settings.name} has no tool named ${JSON.stringify(name)}.`,
    );
  }

  #pin(foreign: ForeignTool): void {
    const changed = this.#pins.see(foreign.original, foreign);
    if (changed === undefined) return;
    this.#options.onEvent({
      type: 'tool_definition_changed',
      server: this.#options.settings.name,
      tool: foreign.tool.name,
      changed,
    });
  }

  #tellChanges(tools: readonly ForeignTool[]): void {
    const before = new Map(this.#tools.map(({ tool, pin }) => [tool.name, pin]));
    const after = new Map(tools.map(({ tool, pin }) => [tool.name, pin]));
    const added = [...after.keys()].filter((tool) => !before.has(tool));
    const removed = [...before.keys()].filter((tool) => !after.has(tool));
    const changed = [...after]
      .filter(([tool, pin]) => before.has(tool) && before.get(tool) !== pin)
      .map(([tool]) => tool);
    if (added.length + removed.length + changed.length === 0) return;
    const server = this.#options.settings.name;
    this.#options.onEvent({ type: 'tools_changed', server, added, removed, changed });
  }
}

function isWanted(tool: string, { includeTools, excludeTools }: ServerSettings): boolean {
  return !excludeTools.has(tool) && (includeTools === undefined || includeTools.has(tool));
}

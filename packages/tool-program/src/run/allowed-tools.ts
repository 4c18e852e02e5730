import {
  isJsonArray,
  ToolError,
  type JsonObject,
  type ToolCall,
  type ToolCatalog,
} from '@toolwright/core';
import type { OfferedTools } from './offered-tools.ts';

/** Modes of `search` that scripts and allow-lists may name as if they were tools. */
const searchModes: readonly string[] = ['grep', 'glob', 'bm25', 'semantic', 'hybrid'];
/** Tools that run other tools: a script calls what it needs directly. */
const orchestrators: readonly string[] = ['program', 'batch'];

/** A tool that starts agents: a program starts one at a time, so that its own limits bound them. */
const startsAgents = 'task';

/** Which tools a program may call, and what its calls mean. */
export class AllowedTools {
  readonly #catalog: ToolCatalog;
  readonly #offered: OfferedTools;
  readonly #listed: readonly string[] | undefined;
  #names: readonly string[] | undefined;
  #forKernel: readonly string[] | undefined;

  /** Without a list a program may call what its session offers. */
  constructor(catalog: ToolCatalog, offered: OfferedTools, listed: readonly string[] | undefined) {
    this.#catalog = catalog;
    this.#offered = offered;
    this.#listed = listed;
  }

  /** The names that `ctx.tools` and the catalogue show, sorted: those of the program's start. */
  names(): readonly string[] {
    this.#names ??= [...new Set(this.#listed ?? this.#offered.callable(this.#catalog))]
      .filter((name) => !orchestrators.includes(name))
      .sort();
    return this.#names;
  }

  /** The kernel's own form of the list; it lets hidden tools through that stand in it. */
  forKernel(): readonly string[] | undefined {
    if (this.#listed === undefined) return undefined;
    this.#forKernel ??= this.#withSearch(this.#listed);
    return this.#forKernel;
  }

  #withSearch(listed: readonly string[]): readonly string[] {
    const bySearch = listed.some((name) => searchModes.includes(name));
    return bySearch ? [...listed, 'search'] : listed;
  }

  /**
   * The call that a script means by a name and arguments. Errors: `recursion`, `permission_denied` with
   * `not_allowed`, or with `fan_out` for a `task` that would start several agents.
   */
  toCall(name: string, args: JsonObject): ToolCall {
    if (orchestrators.includes(name)) {
      throw new ToolError(
        'recursion',
        `A program cannot call ${name}; call the tools it needs directly, with Promise.all to call several at once.`,
        { reason: 'orchestrator' },
      );
    }
    const { tasks = null } = args;
    if (name === startsAgents && isJsonArray(tasks) && tasks.length > 1) {
      throw new ToolError(
        'permission_denied',
        `A program starts one agent a call; this ${name} has ${tasks.length} tasks. Make one call for each.`,
        { reason: 'fan_out' },
      );
    }
    const isMode = searchModes.includes(name) && !this.#offered.has(this.#catalog, name);
    const call = isMode
      ? { name: 'search', arguments: { mode: name, ...args } }
      : { name, arguments: args };
    if (!this.#allows(call)) {
      throw new ToolError(
        'permission_denied',
        `${name} is not among the tools that this program may call: ${this.names().slice(0, 40).join(', ') || 'none'}.`,
        { reason: 'not_allowed' },
      );
    }
    return call;
  }

  #allows({ name, arguments: args }: { name: string; arguments: JsonObject }): boolean {
    if (this.#listed === undefined || this.#listed.includes(name)) return true;
    const mode = args['mode'];
    return name === 'search' && typeof mode === 'string' && this.#listed.includes(mode);
  }
}

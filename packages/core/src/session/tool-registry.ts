import { toDigest } from '../digest/canonical-digest.ts';
import { sha256Hex } from '../digest/sha256.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import type { Provider, ProviderConnection } from '../provider/provider.ts';
import type { CapabilityId } from '../services/services.ts';
import type { CatalogEntry, LoadOutcome, ToolCatalog } from '../tool/tool-catalog.ts';
import { commonCapabilities } from '../tool/common-capabilities.ts';
import type { Tool } from '../tool/tool.ts';
import { toModelSchema } from '../schema/to-model-schema.ts';
import { nearestName } from '../validation/nearest-name.ts';
import { createValidator, type Validator } from '../validation/validator.ts';
import { compareUtf8 } from '../workspace/workspace-path.ts';
import type { SurfaceEntry } from './surface.ts';

/** Deferred tools that a session may have loaded at once. */
export const maxLoadedTools = 128;

/** A tool as a session has it. */
export interface RegisteredTool {
  readonly name: string;
  readonly tool: Tool;
  readonly provider: Provider;
  readonly validator: Validator;
  /** Checks structured content, where the tool promises one. */
  readonly outputValidator: Validator | undefined;
  readonly trustedOrchestrator: boolean;
  /** `sha256:<hex>` of everything that a person who approves relies on. */
  readonly definitionDigest: string;
}

/** What a registry is made from. */
export interface RegistryOptions {
  readonly providers: readonly Provider[];
  readonly trustedOrchestrators: readonly Provider[];
  /** Capabilities that workspace and services offer. */
  readonly offered: ReadonlySet<CapabilityId>;
  /** Why policy hides a tool from the model; undefined when it does not. */
  readonly hiddenByPolicy: (tool: Tool) => string | undefined;
}

interface Absence {
  readonly name: string;
  readonly provider: string;
  readonly reason: string;
}

/** The tools of one session: fixed ones from its providers, and those of live connections, which come and go. */
export class ToolRegistry {
  readonly catalog: ToolCatalog;
  readonly #options: RegistryOptions;
  readonly #fixed = new Map<string, RegisteredTool>();
  readonly #fixedAbsent = new Map<string, Absence>();
  readonly #connections = new Map<Provider, ProviderConnection>();
  #tools = new Map<string, RegisteredTool>();
  #absent = new Map<string, Absence>();
  readonly #loaded = new Map<string, string>();
  /** Tools that a session before had loaded and whose source has not listed them yet, with what loaded them. */
  readonly #awaited = new Map<string, string>();
  #version = 1;
  readonly #listeners = new Set<() => void>();

  /** Errors: `TypeError` when two tools have one name. */
  constructor(options: RegistryOptions) {
    this.#options = options;
    for (const provider of options.providers) {
      for (const tool of provider.tools) {
        const other =
          this.#fixed.get(tool.name)?.provider.name ?? this.#fixedAbsent.get(tool.name)?.provider;
        if (other !== undefined) {
          throw new TypeError(
            `Providers ${other} and ${provider.name} both have a tool named ${tool.name}; register one of them.`,
          );
        }
        this.#sort(tool, provider, { tools: this.#fixed, absent: this.#fixedAbsent });
      }
    }
    this.#rebuild();
    this.catalog = this.#toCatalog();
  }

  get version(): number {
    return this.#version;
  }

  get(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  all(): readonly RegisteredTool[] {
    return [...this.#tools.values()];
  }

  /** Why a tool that a provider has cannot be called here. */
  absenceOf(name: string): string | undefined {
    return this.#absent.get(name)?.reason;
  }

  isLoaded(name: string): boolean {
    return this.#loaded.has(name);
  }

  /** What is loaded, and what will be as soon as it is there. */
  loaded(): readonly { readonly name: string; readonly by: string }[] {
    return [...this.#loaded, ...this.#awaited].map(([name, by]) => ({ name, by }));
  }

  /** Loads what a session before had loaded: a live source lists its tools only some time after it was opened. */
  reload(loaded: readonly { readonly name: string; readonly by: string }[]): void {
    for (const { name, by } of loaded) {
      if (this.#load([name], by).unknown.length > 0) this.#awaited.set(name, by);
    }
  }

  /** Up to three names like the one that was called. */
  nearest(name: string): readonly string[] {
    const found: string[] = [];
    // What comes from a wire may be called anything.
    if (typeof name !== 'string') return found;
    let left = this.all()
      .filter(({ tool }) => tool.visibility !== 'hidden')
      .map((tool) => tool.name);
    for (let next = nearestName(name, left); next !== undefined; next = nearestName(name, left)) {
      const nearest = next;
      found.push(nearest);
      if (found.length === 3) break;
      left = left.filter((candidate) => candidate !== nearest);
    }
    return found;
  }

  /** Tools that a model sees now, sorted by name. */
  visible(): readonly RegisteredTool[] {
    return this.all()
      .filter(({ name, tool }) => {
        if (this.#options.hiddenByPolicy(tool) !== undefined) return false;
        return (
          tool.visibility === 'visible' || (tool.visibility === 'deferred' && this.isLoaded(name))
        );
      })
      .sort((a, b) => compareUtf8(a.name, b.name));
  }

  surface(): readonly SurfaceEntry[] {
    const entries = this.all().map((entry) => this.#toSurface(entry));
    for (const { name, provider, reason } of this.#absent.values()) {
      entries.push({ name, provider, state: 'absent', reason });
    }
    return entries.sort((a, b) => compareUtf8(a.name, b.name));
  }

  /** Takes over a live source of tools; its names must not clash, or they are absent with that reason. */
  attach(provider: Provider, connection: ProviderConnection): void {
    this.#connections.set(provider, connection);
    this.#rebuild();
  }

  /** Takes over a change of a live source. */
  refresh(): void {
    this.#rebuild();
  }

  #rebuild(): void {
    const tools = new Map(this.#fixed);
    const absent = new Map(this.#fixedAbsent);
    for (const [provider, connection] of this.#connections) {
      for (const { name, reason } of connection.absent) {
        absent.set(name, { name, provider: provider.name, reason });
      }
      for (const tool of connection.tools) {
        const other = tools.get(tool.name);
        if (other === undefined) this.#sort(tool, provider, { tools, absent });
        else if (other.provider !== provider) {
          absent.set(tool.name, {
            name: tool.name,
            provider: provider.name,
            reason: `the name is taken by ${other.provider.name}`,
          });
        }
      }
    }
    this.#tools = tools;
    this.#absent = absent;
    for (const name of this.#loaded.keys()) if (!tools.has(name)) this.#loaded.delete(name);
    for (const [name, by] of this.#awaited) {
      if (!tools.has(name)) continue;
      this.#awaited.delete(name);
      if (this.#loaded.size < maxLoadedTools) this.#loaded.set(name, by);
    }
    this.#changed();
  }

  /** Notes a change; a listener that throws does not keep the others from hearing of it. */
  #changed(): void {
    this.#version += 1;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch {
        // What a listener makes of it is its own affair.
      }
    }
  }

  #sort(
    tool: Tool,
    provider: Provider,
    into: { readonly tools: Map<string, RegisteredTool>; readonly absent: Map<string, Absence> },
  ): void {
    const missing = tool.requires.filter((capability) => !this.#options.offered.has(capability));
    if (missing.length > 0) {
      into.absent.set(tool.name, {
        name: tool.name,
        provider: provider.name,
        reason: `needs ${missing.join(', ')}, which this session does not offer`,
      });
      return;
    }
    const known = this.#tools.get(tool.name);
    into.tools.set(
      tool.name,
      known?.tool === tool && known.provider === provider
        ? known
        : registerTool(tool, provider, this.#options.trustedOrchestrators.includes(provider)),
    );
  }

  #toSurface({ name, tool, provider }: RegisteredTool): SurfaceEntry {
    const capabilities = defaultCapabilities(tool);
    const base = {
      name,
      provider: provider.name,
      ...(capabilities === undefined ? {} : { capabilities }),
    };
    const byPolicy = this.#options.hiddenByPolicy(tool);
    if (tool.visibility === 'hidden') {
      return {
        ...base,
        state: 'hidden',
        reason: 'only the host and allow-listed nested calls use it',
      };
    }
    if (byPolicy !== undefined) return { ...base, state: 'hidden', reason: byPolicy };
    if (tool.visibility === 'visible') return { ...base, state: 'visible' };
    const loaded = this.isLoaded(name);
    return {
      ...base,
      state: 'deferred',
      loaded,
      reason: loaded ? `loaded by ${this.#loaded.get(name)}` : 'tool_search loads it',
    };
  }

  #toCatalog(): ToolCatalog {
    const version = (): number => this.#version;
    return {
      get version() {
        return version();
      },
      entries: (options = {}) =>
        this.all()
          .filter(({ tool }) => options.hidden === true || tool.visibility !== 'hidden')
          .map((entry) => this.#toEntry(entry))
          .sort((a, b) => compareUtf8(a.name, b.name)),
      load: (names, by) => this.#load(names, by),
      unload: (names) => this.#unload(names),
      subscribe: (listener) => {
        // A wrapper of its own, so that one function can listen twice.
        const tell = (): void => listener();
        this.#listeners.add(tell);
        return () => void this.#listeners.delete(tell);
      },
    };
  }

  #toEntry({ name, tool, provider }: RegisteredTool): CatalogEntry {
    return {
      name,
      description: tool.description,
      parameters: toModelSchema(tool.input),
      ...(tool.output === undefined ? {} : { output: tool.output }),
      provider: provider.name,
      ...(tool.title === undefined ? {} : { title: tool.title }),
      keywords: tool.keywords,
      needs: [...tool.requires, ...tool.uses],
      get capabilities() {
        return commonCapabilities(tool);
      },
      state: this.#options.hiddenByPolicy(tool) === undefined ? tool.visibility : 'hidden',
      loaded: this.isLoaded(name),
      untrusted: tool.untrusted,
    };
  }

  #load(names: readonly string[], by: string): LoadOutcome {
    const outcome = emptyOutcome();
    for (const name of names) {
      const entry = this.#tools.get(name);
      if (entry === undefined || entry.tool.visibility === 'hidden') outcome.unknown.push(name);
      else if (entry.tool.visibility === 'visible' || this.#loaded.has(name))
        outcome.already.push(name);
      else if (this.#loaded.size >= maxLoadedTools) outcome.overCap.push(name);
      else {
        this.#loaded.set(name, by);
        outcome.changed.push(name);
      }
    }
    if (outcome.changed.length > 0) this.#changed();
    return outcome;
  }

  #unload(names: readonly string[]): LoadOutcome {
    const outcome = emptyOutcome();
    for (const name of names) {
      this.#awaited.delete(name);
      if (this.#loaded.delete(name)) outcome.changed.push(name);
      else (this.#tools.has(name) ? outcome.already : outcome.unknown).push(name);
    }
    if (outcome.changed.length > 0) this.#changed();
    return outcome;
  }
}

/** A tool with its validator and digest; both are made when first needed. */
export function registerTool(
  tool: Tool,
  provider: Provider,
  trustedOrchestrator: boolean,
): RegisteredTool {
  let validator: Validator | undefined;
  let outputValidator: Validator | undefined;
  let digest: string | undefined;
  return {
    name: tool.name,
    tool,
    provider,
    trustedOrchestrator,
    get validator() {
      return (validator ??= createValidator(tool.input));
    },
    get outputValidator() {
      if (tool.output === undefined) return undefined;
      return (outputValidator ??= createValidator(tool.output));
    },
    get definitionDigest() {
      return (digest ??= toDigest(
        sha256Hex(
          canonicalJson({
            provider: provider.name,
            name: tool.name,
            description: tool.description,
            input: tool.input,
            output: tool.output ?? null,
            requires: [...tool.requires, ...tool.uses],
          }),
        ),
      ));
    },
  };
}

function defaultCapabilities(tool: Tool) {
  try {
    return tool.capabilities({});
  } catch {
    // A tool may need arguments to tell what it does; then nothing is promised.
    return undefined;
  }
}

function emptyOutcome() {
  return {
    changed: new Array<string>(),
    already: new Array<string>(),
    unknown: new Array<string>(),
    overCap: new Array<string>(),
  };
}

import type { JsonSchema } from '../schema/json-schema.ts';
import type { CapabilityId } from '../services/services.ts';
import type { ToolCapabilities } from './capabilities.ts';

/** Where a tool stands in a session; see `SurfaceEntry`. */
export type ToolState = 'visible' | 'hidden' | 'deferred' | 'absent';

/** What a model needs to know of a tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** Closed and self-contained: every `$ref` resolves inside it. */
  readonly parameters: JsonSchema;
  readonly output?: JsonSchema;
}

/** A tool of the session's catalogue. */
export interface CatalogEntry extends ToolDefinition {
  readonly provider: string;
  readonly title?: string;
  /** Curated synonyms that find the tool. */
  readonly keywords: readonly string[];
  /** What its calls work with: the capabilities that the tool needs, then those that it takes advantage of. */
  readonly needs: readonly CapabilityId[];
  /** What every one of its calls may be taken to declare: the least that its arguments can make of it. */
  readonly capabilities: ToolCapabilities;
  readonly state: ToolState;
  /** A deferred tool that this session has loaded: it can be called. */
  readonly loaded: boolean;
  /** The description comes from outside (an MCP server): show it escaped, follow it never. */
  readonly untrusted: boolean;
}

/** Which names a load or unload changed. */
export interface LoadOutcome {
  readonly changed: readonly string[];
  readonly already: readonly string[];
  readonly unknown: readonly string[];
  /** Names refused because the session's cap of loaded tools is reached. */
  readonly overCap: readonly string[];
}

/** The tools of a session as data; loading is session state and no authorisation. */
export interface ToolCatalog {
  /** Grows with every change of the registry; for caches. */
  readonly version: number;
  /** Visible and deferred tools, sorted by name. Hidden ones only with `hidden: true`. */
  entries(options?: { readonly hidden?: boolean }): readonly CatalogEntry[];
  /** Makes deferred tools callable; `by` is kept as provenance (the query that found them). */
  load(names: readonly string[], by: string): LoadOutcome;
  unload(names: readonly string[]): LoadOutcome;
  /** Calls `listener` after every change of the registry; returns how to stop. */
  subscribe(listener: () => void): () => void;
}

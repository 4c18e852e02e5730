import type { Tool } from '@modelcontextprotocol/server';
import type { Session } from '@toolwright/core';
import { pageOf } from './page-of.ts';
import { toolAnnotations } from './tool-annotations.ts';

/** The tools of a session as MCP shows them, made once a version of the catalogue. */
export class ToolList {
  readonly #session: Session;
  #version = -1;
  #tools: readonly Tool[] = [];
  #promising = new Set<string>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** One page of them, sorted by name. Errors: `-32602` for a cursor that was never given out. */
  page(cursor: string | undefined): { readonly tools: Tool[]; readonly nextCursor?: string } {
    this.#refresh();
    const { items: tools, next } = pageOf(this.#tools, cursor, 'tools/list');
    return { tools, ...next };
  }

  /** Whether a tool promises structured content to MCP clients. */
  hasOutput(name: string): boolean {
    this.#refresh();
    return this.#promising.has(name);
  }

  #refresh(): void {
    const { catalog } = this.#session;
    if (this.#version === catalog.version) return;
    const { version } = catalog;
    this.#promising = new Set();
    const shown = new Set(this.#session.toolNames());
    this.#tools = catalog
      .entries()
      .filter(({ name }) => shown.has(name))
      .map((entry) => {
        const { name, description, parameters, output } = entry;
        const annotations = toolAnnotations(entry);
        // Clients of the older protocol refuse structured content that is no object.
        const promises = output?.['type'] === 'object' ? output : undefined;
        if (promises !== undefined) this.#promising.add(name);
        return {
          name,
          title: annotations.title,
          description,
          // Closed object schemas of draft 2020-12, by the registry's own checks.
          inputSchema: parameters as Tool['inputSchema'],
          ...(promises === undefined ? {} : { outputSchema: promises }),
          annotations,
        };
      });
    this.#version = version;
  }
}

import { ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { paginate, ToolError, type Session } from '@toolwright/core';
import { toolAnnotations } from './tool-annotations.ts';

/** Tools in one answer: nearly every client reads the first page alone. */
const pageSize = 1_000;

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
    try {
      const { items, page } = paginate(this.#tools, {
        limit: pageSize,
        cursor,
        query: 'tools/list',
      });
      return {
        tools: [...items],
        ...(page.next_cursor === null ? {} : { nextCursor: page.next_cursor }),
      };
    } catch (error) {
      if (!ToolError.isInstance(error)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    }
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

import { ProtocolError, type Client } from '@modelcontextprotocol/client';
import { ToolSchema } from '@modelcontextprotocol/core';
import type { z } from 'zod';
import { looseObject } from 'zod';

/** A tool as its server describes it. */
export type ListedTool = z.infer<typeof ToolSchema>;

/** What a server's pages held. */
export interface ToolListing {
  readonly tools: readonly ListedTool[];
  /** Items that describe no tool, by the name that they give, with what is wrong. */
  readonly malformed: readonly { readonly name: string; readonly reason: string }[];
  /** Odd things that did no harm. */
  readonly warnings: readonly string[];
}

/** Pages read at most. */
const MAX_PAGES = 64;
/** Tools kept at most. */
const MAX_TOOLS = 5_000;

const page = looseObject({});

/**
 * Reads all pages of `tools/list`. Each item is judged alone, so one that is malformed costs itself and nothing else. A
 * cursor that comes again, an empty one and a limit of pages end the walk. Errors: those of the requests.
 */
export async function listTools(
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<ToolListing> {
  const tools = new Map<string, ListedTool>();
  const malformed: { name: string; reason: string }[] = [];
  const warnings: string[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const result = await requestPage(client, cursor, options);
    if (result === undefined) break;
    const items = result['tools'];
    if (!Array.isArray(items)) warnings.push('a page of the tool list holds no list of tools');
    for (const item of Array.isArray(items) ? items : []) {
      const parsed = ToolSchema.safeParse(withSchema(item));
      if (!parsed.success) malformed.push({ name: nameOf(item), reason: firstIssue(parsed.error) });
      else if (!tools.has(parsed.data.name)) tools.set(parsed.data.name, parsed.data);
    }
    if (tools.size > MAX_TOOLS) {
      warnings.push(`the server has more than ${MAX_TOOLS} tools; the others are left out`);
      break;
    }
    const next = result['nextCursor'];
    if (typeof next !== 'string' || next === '') break;
    if (seen.has(next)) {
      warnings.push('the cursor of the tool list came a second time; the list ends there');
      break;
    }
    if (pages === MAX_PAGES) {
      warnings.push(`the tool list has more than ${MAX_PAGES} pages; the others were not read`);
      break;
    }
    seen.add(next);
    cursor = next;
  }
  return { tools: [...tools.values()].slice(0, MAX_TOOLS), malformed, warnings };
}

async function requestPage(
  client: Client,
  cursor: string | undefined,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return await client.request(
      { method: 'tools/list', ...(cursor === undefined ? {} : { params: { cursor } }) },
      page,
      { signal: options.signal, timeout: options.timeoutMs },
    );
  } catch (error) {
    // A server without tools.
    if (error instanceof ProtocolError && error.code === -32_601) return undefined;
    throw error;
  }
}

/** A tool without an input schema takes no arguments that anybody knows of. */
function withSchema(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const { inputSchema = { type: 'object' } } = item as { readonly inputSchema?: unknown };
  return { ...item, inputSchema: inputSchema ?? { type: 'object' } };
}

function nameOf(item: unknown): string {
  if (typeof item === 'object' && item !== null && 'name' in item) {
    if (typeof item.name === 'string') return item.name;
  }
  return 'unnamed';
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it is malformed';
  const path = issue.path.map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

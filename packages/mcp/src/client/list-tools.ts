import { ProtocolError, type Client } from '@modelcontextprotocol/client';
import { ToolSchema } from '@modelcontextprotocol/core';
import type { z } from 'zod';
import { looseObject } from 'zod';
import { isNestedTooDeeply, MAX_NESTING } from '../wire/nesting.ts';

/** A tool as its server describes it. */
export type ListedTool = z.infer<typeof ToolSchema>;

/** What a server's pages held. */
export interface ToolListing {
  readonly tools: readonly ListedTool[];
  /** Items that describe no tool, by the name that they give, with what is wrong. */
  readonly malformed: readonly { readonly name: string; readonly reason: string }[];
  /** Odd things that did no harm. */
  readonly warnings: readonly string[];
  /** Milliseconds in which reading them kept this process from anything else. */
  readonly busyMs: number;
}

/** Pages read at most. */
const MAX_PAGES = 64;
/** Tools kept at most. */
const MAX_TOOLS = 5_000;
/** Items that are told to be malformed, at most. */
const MAX_MALFORMED = 500;
/** Characters of a tool's name, at most: the protocol advises 128. */
const MAX_NAME_CHARS = 1_000;

/** Warnings of one list, at most. */
const MAX_WARNINGS = 100;

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
  const malformed = new Map<string, string>();
  let others = 0;
  const warnings: string[] = [];
  const seen = new Set<string>();
  let busyMs = 0;
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const result = await requestPage(client, cursor, options);
    if (result === undefined) break;
    const startedAt = performance.now();
    const items = result['tools'];
    if (!Array.isArray(items)) warnings.push('a page of the tool list holds no list of tools');
    for (const item of Array.isArray(items) ? items : []) {
      const read = readItem(item);
      if (!read.ok) {
        const name = nameOf(item);
        if (malformed.size >= MAX_MALFORMED || malformed.has(name)) others += 1;
        else malformed.set(name, read.reason);
        continue;
      }
      const { tool } = read;
      const first = tools.get(tool.name);
      if (first === undefined) tools.set(tool.name, tool);
      else if (warnings.length < MAX_WARNINGS && JSON.stringify(first) !== JSON.stringify(tool)) {
        const name = JSON.stringify(tool.name.slice(0, 100));
        warnings.push(`${name} is listed twice, differently; the first one counts`);
      }
    }
    busyMs += performance.now() - startedAt;
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
  if (others > 0) warnings.push(`${others} more items of the tool list describe no tool`);
  return {
    tools: [...tools.values()].slice(0, MAX_TOOLS),
    malformed: [...malformed].map(([name, reason]) => ({ name, reason })),
    warnings,
    busyMs,
  };
}

function readItem(
  item: unknown,
):
  | { readonly ok: true; readonly tool: ListedTool }
  | { readonly ok: false; readonly reason: string } {
  if (isNestedTooDeeply(item)) {
    return { ok: false, reason: `it is nested more than ${MAX_NESTING} levels deep` };
  }
  const parsed = ToolSchema.safeParse(withSchema(item));
  if (!parsed.success) return { ok: false, reason: firstIssue(parsed.error) };
  const { length } = parsed.data.name;
  if (length === 0) return { ok: false, reason: 'its name is empty' };
  if (length > MAX_NAME_CHARS) {
    return { ok: false, reason: `its name has ${length} characters, more than ${MAX_NAME_CHARS}` };
  }
  return { ok: true, tool: parsed.data };
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
    if (typeof item.name === 'string' && item.name !== '') return item.name;
  }
  return 'unnamed';
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it is malformed';
  const path = issue.path.map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

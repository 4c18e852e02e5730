import { defineTool, paginatedRead } from '@toolwright/core';
import type { Page, Tool } from '@toolwright/core';
import { describeEntry, renderEntry } from './ls/describe-entry.ts';
import type { EntryFacts } from './ls/describe-entry.ts';
import { listTree } from './ls/list-tree.ts';
import type { ListContext, TreeRequest } from './ls/list-tree.ts';
import { showName } from './display/show-name.ts';
import { fromKeyCursor, toKeyCursor } from './paging/key-cursor.ts';

/** Entries of a page when nothing is said. */
export const DEFAULT_LS_LIMIT = 200;
/** Entries of a page at most. */
export const MAX_LS_LIMIT = 1_000;
/** Bytes of `metadata.entries` as JSON after which a page ends early: the kernel keeps 64 KiB of metadata. */
const MAX_ENTRIES_BYTES = 49_152;
/** Entries that are described in one go: looking at each does not wait, so others would not have their turn. */
const TURN_ENTRIES = 32;
/** Bytes kept free for the last line of the output. */
const FOOTER_BYTES = 512;

/** The `ls` tool: what is in a directory, level by level, in pages. */
export function lsTool(): Tool {
  return defineTool({
    name: 'ls',
    title: 'List a directory',
    description:
      'Lists a directory of the workspace: each entry with its path, size and kind, links with their targets, and a mark on what git ignores. Use it to learn how a project is laid out; raise depth to see more levels at once. Long listings come in pages: pass next_cursor with the same arguments. To find files by name pattern or content use search; to see what is in a file use read.',
    keywords: ['list', 'dir', 'directory', 'folder', 'tree', 'files'],
    input: {
      type: 'object',
      additionalProperties: false,
      properties: {
        path: {
          type: 'string',
          description: 'Directory to list, relative to the workspace root. Default: the root.',
        },
        depth: {
          type: 'integer',
          minimum: 1,
          maximum: 8,
          'x-clamp': true,
          description: 'Levels to list; 1 is the directory itself. Default 1.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LS_LIMIT,
          'x-clamp': true,
          description: 'Entries of a page at most. Default 200.',
        },
        cursor: {
          type: 'string',
          minLength: 1,
          description:
            'next_cursor of the page before, with the same path, depth, hidden and ignore.',
        },
        hidden: {
          type: 'boolean',
          description: 'List names that begin with a dot too. Default true.',
        },
        ignore: {
          type: 'boolean',
          description: 'Leave out what git ignores instead of marking it. Default false.',
        },
      },
    },
    examples: [{}, { path: 'src', depth: 2, ignore: true }],
    requires: ['files.read'],
    uses: ['files.walk'],
    capabilities: paginatedRead(16),
    effects: ({ path = '' }) => [{ kind: 'read', target: treeBelow(path) }],
    run: async (input, context) => {
      const { path = '', depth = 1, limit = DEFAULT_LS_LIMIT, cursor } = input;
      const { hidden = true, ignore = false } = input;
      const directory = await context.workspace.resolvePath(path);
      const query = JSON.stringify([directory, depth, hidden, ignore]);
      const from = fromKeyCursor(cursor, query);
      const { entries, last, more } = await takePage(context, {
        tree: { directory, depth, hidden, skipIgnored: ignore, after: from.key },
        limit,
      });
      const requested = context.clamped.find((change) => change.path === '/limit')?.from ?? limit;
      const next = from.offset + entries.length;
      const page: Page = {
        offset: from.offset,
        requested_limit: Number(requested),
        applied_limit: limit,
        returned_items: entries.length,
        total_items: more ? null : next,
        next_cursor: more ? toKeyCursor(next, query, last) : null,
        truncated: more,
        limit_clamped: requested !== limit,
      };
      return {
        output: entries.map(renderEntry).join('') + footerOf(directory, page),
        metadata: {
          path: directory,
          status: more ? 'partial' : 'complete',
          entries,
          page: { ...page },
        },
      };
    },
  });
}

/** The directory and everything below it, as an effect's target. */
function treeBelow(path: string): string {
  const directory = path.replace(/\/+$/, '');
  if (directory === '' && path.startsWith('/')) return '/**';
  return directory === '' || directory === '.' ? '**' : `${directory}/**`;
}

/** Takes entries until the page, its metadata or the output is full. */
async function takePage(
  context: ListContext,
  request: { readonly tree: TreeRequest; readonly limit: number },
): Promise<{ entries: EntryFacts[]; last: string; more: boolean }> {
  const entries: EntryFacts[] = [];
  const maxOutputBytes = context.limits.maxOutputBytes - FOOTER_BYTES;
  let last = '';
  let outputBytes = 0;
  let entriesBytes = 0;
  for await (const found of listTree(context, request.tree)) {
    if (entries.length >= request.limit) return { entries, last, more: true };
    const entry = await describeEntry(context, found);
    outputBytes += Buffer.byteLength(renderEntry(entry));
    entriesBytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    const isFull = outputBytes > maxOutputBytes || entriesBytes > MAX_ENTRIES_BYTES;
    if (isFull && entries.length > 0) return { entries, last, more: true };
    entries.push(entry);
    last = found.path;
    if (entries.length % TURN_ENTRIES === 0) await turn();
  }
  return { entries, last, more: false };
}

async function turn(): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 0);
  });
}

function footerOf(directory: string, page: Page): string {
  if (page.next_cursor !== null) {
    const cursor = JSON.stringify(page.next_cursor);
    return `[entries ${page.offset + 1}-${page.offset + page.returned_items}, more follow; go on with cursor ${cursor}]\n`;
  }
  if (page.returned_items > 0) return '';
  return page.offset === 0 ? `[${showName(directory === '' ? '.' : directory)} is empty]\n` : '';
}

import { ToolError } from '@toolwright/core';
import type { DirectoryEntry, FileKind, ToolContext } from '@toolwright/core';

/** The context that listing needs. */
export type ListContext = ToolContext<'files.read', 'files.walk'>;

/** An entry that was met, or a directory that could not be listed. */
export interface TreeEntry {
  /** Workspace path with `/`, raw. */
  readonly path: string;
  readonly kind: FileKind;
  /** Where a link says it points. */
  readonly linkTarget?: string;
  /** Why what lies below a directory is not listed. */
  readonly notListed?: string;
}

/** What to list. */
export interface TreeRequest {
  /** Real workspace path of the directory. */
  readonly directory: string;
  /** Levels below it; 1 is its own entries. */
  readonly depth: number;
  /** Names that begin with a dot. */
  readonly hidden: boolean;
  /** Skip what git's rules ignore. */
  readonly skipIgnored: boolean;
  /** Go on after this path, which a listing with the same request gave. */
  readonly after?: string | undefined;
}

/**
 * Entries in one order: by the UTF-8 bytes of names, each directory before what lies below it. `.git` is shown and not
 * entered. Going on after a path costs only the directories on the way to it.
 */
export async function* listTree(
  context: ListContext,
  request: TreeRequest,
): AsyncGenerator<TreeEntry> {
  const entries = await context.workspace.files.list(request.directory, {
    signal: context.signal,
  });
  yield* listLevel(context, request, { entries, base: request.directory, level: 1 });
}

interface Level {
  readonly entries: readonly DirectoryEntry[];
  /** Real path of the directory that holds them. */
  readonly base: string;
  readonly level: number;
}

async function* listLevel(
  context: ListContext,
  request: TreeRequest,
  { entries, base, level }: Level,
): AsyncGenerator<TreeEntry> {
  const skip = nameAfter(request, base);
  for (const { name, kind, linkTarget } of entries) {
    if (!request.hidden && name.startsWith('.')) continue;
    if (skip !== undefined && compareNames(name, skip) < 0) continue;
    const path = base === '' ? name : `${base}/${name}`;
    // The path of a cursor lies at or below this entry: it was given out already, and only its rest is wanted.
    const given = name === skip;
    if (request.skipIgnored && (await context.workspace.walker?.isIgnored(path)) === true) continue;
    const below =
      kind === 'directory' && level < request.depth && name !== '.git'
        ? await listBelow(context, path)
        : undefined;
    if (!given) {
      yield {
        path,
        kind,
        ...(linkTarget === undefined ? {} : { linkTarget }),
        ...(below instanceof ToolError ? { notListed: below.message } : {}),
      };
    }
    if (below !== undefined && !(below instanceof ToolError)) {
      yield* listLevel(context, request, { entries: below, base: path, level: level + 1 });
    }
  }
}

/** Entries of a directory, or why there are none to tell of: one unreadable directory does not end the listing. */
async function listBelow(
  context: ListContext,
  path: string,
): Promise<readonly DirectoryEntry[] | ToolError> {
  try {
    return await context.workspace.files.list(path, { signal: context.signal });
  } catch (error) {
    if (!ToolError.isInstance(error) || context.signal.aborted) throw error;
    return error;
  }
}

/** The name in `base` on the way to the path after which to go on; `undefined` when `base` is not on that way. */
function nameAfter({ after }: TreeRequest, base: string): string | undefined {
  if (after === undefined) return undefined;
  const prefix = base === '' ? '' : `${base}/`;
  return after.startsWith(prefix) ? after.slice(prefix.length).split('/')[0] : undefined;
}

function compareNames(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}

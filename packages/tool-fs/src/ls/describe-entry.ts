import { ToolError } from '@toolwright/core';
import type { JsonObject } from '@toolwright/core';
import { showName } from '../display/show-name.ts';
import type { ListContext, TreeEntry } from './list-tree.ts';

/** What a listing says of one entry, in `metadata.entries`. */
export interface EntryFacts extends JsonObject {
  /** Workspace path, raw. */
  readonly path: string;
  readonly kind: string;
}

/** Adds what a listing tells beside the name: size, whether git ignores it, whether a link leads anywhere. */
export async function describeEntry(context: ListContext, entry: TreeEntry): Promise<EntryFacts> {
  const { path, kind, linkTarget, notListed } = entry;
  if (path.includes('\ufffd') && !(await isThere(context, path))) {
    return { path, kind, not_utf8: true };
  }
  const ignored = await context.workspace.walker?.isIgnored(path);
  return {
    path,
    kind,
    ...(kind === 'file' ? await sizeOf(context, path) : {}),
    ...(linkTarget === undefined ? {} : { link_target: linkTarget }),
    ...(kind === 'symlink' && !(await leadsSomewhere(context, path)) ? { unreachable: true } : {}),
    ...(ignored === true ? { ignored: true } : {}),
    ...(notListed === undefined ? {} : { not_listed: notListed }),
  };
}

/** One line of a listing; names that would break it are quoted and escaped. */
export function renderEntry(entry: EntryFacts): string {
  const { path, kind, size, link_target: target, unreachable, ignored, not_listed } = entry;
  const { not_utf8: notUtf8 } = entry;
  const name = showName(path) + (kind === 'directory' ? '/' : '');
  const link = typeof target === 'string' ? ` -> ${showName(target)}` : '';
  const marks = [
    ...(typeof size === 'number' ? [`${size} bytes`] : []),
    ...(SPECIAL_KINDS.has(kind) ? [kind.replace('_', ' ')] : []),
    ...(kind === 'symlink' && link === '' ? ['link'] : []),
    ...(unreachable === true ? ['link is broken or leaves the workspace'] : []),
    ...(ignored === true ? ['ignored'] : []),
    ...(notUtf8 === true ? ['the name is no UTF-8; use bash to reach it'] : []),
    ...(typeof not_listed === 'string' ? [`not listed: ${not_listed}`] : []),
  ];
  return `${name}${link}${marks.length === 0 ? '' : `\t[${marks.join(', ')}]`}\n`;
}

const SPECIAL_KINDS: ReadonlySet<string> = new Set([
  'fifo',
  'socket',
  'block_device',
  'character_device',
  'unknown',
]);

/** Nothing when the entry has gone meanwhile or may not be looked at: a listing goes on. */
async function sizeOf(context: ListContext, path: string): Promise<{ size?: number }> {
  try {
    const { size } = await context.workspace.files.stat(path, {
      followLinks: false,
      signal: context.signal,
    });
    return { size };
  } catch (error) {
    if (!ToolError.isInstance(error) || context.signal.aborted) throw error;
    return {};
  }
}

/** Whether the name stands for itself: a name that is no UTF-8 is told with U+FFFD in place of its bytes. */
async function isThere(context: ListContext, path: string): Promise<boolean> {
  try {
    await context.workspace.files.stat(path, { followLinks: false, signal: context.signal });
    return true;
  } catch (error) {
    if (!ToolError.isInstance(error) || context.signal.aborted) throw error;
    return false;
  }
}

async function leadsSomewhere(context: ListContext, path: string): Promise<boolean> {
  try {
    await context.workspace.resolvePath(path);
    return true;
  } catch (error) {
    if (!ToolError.isInstance(error) || context.signal.aborted) throw error;
    return false;
  }
}

import { IgnoreRules } from '../ignore/ignore-rules.ts';
import type { IgnoreScope } from '../ignore/ignore-rules.ts';
import { readTreeDirectory } from '../walk/read-tree-directory.ts';
import { absolutePath, reasonOf } from '../walk/tree-walk.ts';
import type { PathFilter } from '../walk/path-filter.ts';
import type { TurnTaker } from '../walk/turn-taker.ts';
import type { ScanItem, ScanJob } from './scan-job.ts';

/** A tree cut into pieces, in path order. */
export interface ScanFrontier {
  readonly items: readonly ScanItem[];
  /** All files are listed: no directory is left to walk. */
  readonly isComplete: boolean;
  readonly notSearched: readonly { readonly path: string; readonly reason: string }[];
}

/** Pieces that are enough to keep all threads busy to the end. */
const enoughItems = 400;
const filesPerItem = 64;

type Node =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'directory'; readonly path: string; readonly scope: IgnoreScope | undefined };

/** Opens directories, level by level, until there are enough pieces. */
export async function openFrontier(
  job: ScanJob,
  filter: PathFilter,
  turns: TurnTaker,
): Promise<ScanFrontier> {
  const rules = job.ignore ? new IgnoreRules(job.root) : undefined;
  const notSearched: { path: string; reason: string }[] = [];
  const scope = rules?.scopeOf(absolutePath(job.root, job.start));
  let nodes: Node[] = [{ kind: 'directory', path: job.start, scope }];
  let directories = 1;
  while (directories > 0 && directories < enoughItems) {
    const next: Node[] = [];
    let open = 0;
    for (const [at, node] of nodes.entries()) {
      if (node.kind === 'file' || open + directoriesIn(nodes, at) >= enoughItems) {
        next.push(node);
        if (node.kind === 'directory') open += 1;
        continue;
      }
      const children = childrenOf(job, node, { rules, filter, notSearched });
      for (const child of children) next.push(child);
      open += children.filter((child) => child.kind === 'directory').length;
      await turns.next();
    }
    nodes = next;
    directories = open;
  }
  return { items: toItems(nodes), isComplete: directories === 0, notSearched };
}

/** Directories of a level that are still to be opened. */
function directoriesIn(nodes: readonly Node[], from: number): number {
  // Looking a little ahead is enough: the bound is a matter of balance, not of correctness.
  let count = 0;
  for (let i = from; i < nodes.length && count < enoughItems; i += 1) {
    if (nodes[i]?.kind === 'directory') count += 1;
  }
  return count;
}

function childrenOf(
  job: ScanJob,
  node: Node & { readonly kind: 'directory' },
  use: {
    readonly rules: IgnoreRules | undefined;
    readonly filter: PathFilter;
    readonly notSearched: { path: string; reason: string }[];
  },
): Node[] {
  const { rules, filter, notSearched } = use;
  try {
    const { entries, scope } = readTreeDirectory(absolutePath(job.root, node.path), node.scope, {
      rules,
      hidden: filter.hidden,
    });
    const prefix = node.path === '' ? '' : `${node.path}/`;
    return entries.flatMap(({ name, kind }): Node[] => {
      const path = prefix + name;
      if (kind === 'file') return filter.wants(path) ? [{ kind, path }] : [];
      if (kind === 'directory' && filter.mayEnter(path)) return [{ kind, path, scope }];
      return [];
    });
  } catch (error) {
    notSearched.push({ path: node.path, reason: reasonOf(error) });
    return [];
  }
}

function toItems(nodes: readonly Node[]): ScanItem[] {
  const items: ScanItem[] = [];
  let paths: string[] = [];
  const flush = () => {
    if (paths.length > 0) items.push({ kind: 'files', paths });
    paths = [];
  };
  for (const node of nodes) {
    if (node.kind === 'file') {
      paths.push(node.path);
      if (paths.length === filesPerItem) flush();
    } else {
      flush();
      items.push({ kind: 'directory', path: node.path });
    }
  }
  flush();
  return items;
}

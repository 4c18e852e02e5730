import { lstatSync, readFileSync, statfsSync, watch, type FSWatcher } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { FileKind } from '@toolwright/core';
import { IgnoreRules, type IgnoreScope } from '../ignore/ignore-rules.ts';
import { readTreeDirectory, type TreeEntry } from '../walk/read-tree-directory.ts';
import { absolutePath, reasonOf } from '../walk/tree-walk.ts';
import { TurnTaker } from '../walk/turn-taker.ts';
import { RuleFiles } from './rule-files.ts';

/** An entry of the tree that is no directory. `state` is the owner's to use; the tree makes files with the one it was told. */
export interface WatchedFile<State> {
  readonly path: string;
  /** Anything but a directory. */
  readonly kind: FileKind;
  state: State;
  /** It may have changed since the state was made. */
  isStale: boolean;
  /** It is not in the tree any more. */
  isGone: boolean;
}

/** A directory of the tree, its children in path order. */
export interface WatchedDirectory<State> {
  readonly path: string;
  readonly outer: WatchedDirectory<State> | undefined;
  readonly children: Map<string, WatchedFile<State> | WatchedDirectory<State>>;
  /** Undefined where it cannot be read: then there is nothing below it either. */
  readonly watcher: FSWatcher | undefined;
  scope: IgnoreScope | undefined;
  /** Why it could not be listed. */
  problem: string | undefined;
  /** Names that something happened to, and whether an entry came or went. */
  readonly happened: Map<string, boolean>;
  isGone: boolean;
}

/** What a tree is watched for, and within which bounds. */
export interface WatchedTreeOptions<State> {
  /** Absolute real path, with `/`. */
  readonly root: string;
  readonly initial: State;
  readonly maxFiles: number;
  readonly maxDirectories: number;
  /** Characters of all paths of files together. */
  readonly maxPathUnits: number;
  /** Milliseconds that {@link WatchedTree.settle} works at most before it says `busy`. */
  readonly settleMs: number;
  /** Told of each regular file that is new, has changed or is gone. */
  readonly onChange: (file: WatchedFile<State>) => void;
}

/** Ends the watching of a tree for good: it is too large, or cannot be watched. */
export class NotWatchable extends Error {
  override readonly name = 'NotWatchable';
}

/**
 * Local file systems of Linux: their changes are made on this machine, so that its kernel tells of them. Others (NFS,
 * FUSE, 9p …) change elsewhere.
 */
const watchableTypes: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
  0x2fc12fc1, // ZFS
  0xf2f52010, // F2FS
  0xca451a4e, // bcachefs
]);

/**
 * All files of a tree that git does not ignore, kept current by the kernel's notifications (inotify), one watch a
 * directory. A watch is set before its directory is listed, so that nothing falls between. {@link settle} takes in
 * everything that had happened when it was called.
 */
export class WatchedTree<State> {
  readonly #options: WatchedTreeOptions<State>;
  readonly #devices = new Set<number>();
  readonly #happenedIn = new Set<WatchedDirectory<State>>();
  #rules: IgnoreRules;
  #ruleFiles: RuleFiles | undefined;
  #top: WatchedDirectory<State> | undefined;
  #topIdentity = '';
  #files = 0;
  #directories = 0;
  #pathUnits = 0;
  #events = 0;
  readonly #maxEvents = queueLength() / 2;
  #isLost = false;
  #isClosed = false;
  /** Counts listings: without a new one the tree has the same files and problems. */
  version = 0;

  constructor(options: WatchedTreeOptions<State>) {
    this.#options = options;
    this.#rules = new IgnoreRules(options.root);
  }

  /** The root; undefined before `open`. */
  get top(): WatchedDirectory<State> | undefined {
    return this.#top;
  }

  /** Walks the tree and begins to watch it. Errors: {@link NotWatchable}. */
  async open(): Promise<void> {
    if (process.platform !== 'linux') throw new NotWatchable('Only Linux tells at once.');
    this.#topIdentity = this.#identityOfRoot();
    const scope = this.#rules.scopeOf(this.#options.root);
    const top = this.#directory('', undefined);
    if (top.watcher === undefined) throw new NotWatchable('The root cannot be watched.');
    this.#top = top;
    await this.#list(top, scope, { deep: true, turns: new TurnTaker(undefined) });
    this.#ruleFiles = new RuleFiles(this.#rules.consulted);
  }

  /**
   * Takes in what happened before the call. `busy`: more happens than could be taken in; ask again later. `lost`: it
   * cannot be known what happened; close, and begin anew. Errors: {@link NotWatchable}.
   */
  async settle(): Promise<'settled' | 'busy' | 'lost'> {
    // An event that is queued in the kernel is delivered when the loop polls: surely between two immediates.
    await setImmediate();
    await setImmediate();
    if (this.#top === undefined || this.#identityOfRoot() !== this.#topIdentity) return 'lost';
    const turns = new TurnTaker(undefined);
    const deadlineAt = performance.now() + this.#options.settleMs;
    if (this.#ruleFiles?.hasChanged() === true) await this.#renewRules(turns);
    while (this.#happenedIn.size > 0 && !this.#isLost && !this.#isClosed) {
      const [directory] = this.#happenedIn;
      if (directory === undefined) break;
      if (performance.now() > deadlineAt) return 'busy';
      this.#happenedIn.delete(directory);
      if (!directory.isGone) await this.#takeIn(directory, turns);
    }
    return this.#isLost || this.#isClosed ? 'lost' : 'settled';
  }

  close(): void {
    this.#isClosed = true;
    if (this.#top !== undefined) this.#drop(this.#top);
    this.#top = undefined;
  }

  async #takeIn(directory: WatchedDirectory<State>, turns: TurnTaker): Promise<void> {
    let mustList = false;
    for (const [name, cameOrWent] of directory.happened) {
      if (isRuleName(name)) {
        await this.#renewRules(turns);
        return;
      }
      const child = directory.children.get(name);
      if (cameOrWent || child === undefined || 'children' in child) mustList = true;
      else this.#stale(child);
    }
    if (!mustList) return directory.happened.clear();
    const outer = directory.outer?.scope ?? this.#rules.scopeOf(this.#options.root);
    await this.#list(directory, outer, { deep: false, turns });
  }

  async #renewRules(turns: TurnTaker): Promise<void> {
    this.#rules = new IgnoreRules(this.#options.root);
    const scope = this.#rules.scopeOf(this.#options.root);
    if (this.#top !== undefined) await this.#list(this.#top, scope, { deep: true, turns });
    this.#ruleFiles = new RuleFiles(this.#rules.consulted);
  }

  /** Lists a directory anew and keeps what is known of entries to which nothing happened. */
  async #list(
    directory: WatchedDirectory<State>,
    outer: IgnoreScope | undefined,
    how: { readonly deep: boolean; readonly turns: TurnTaker },
  ): Promise<void> {
    const happened = new Map(directory.happened);
    directory.happened.clear();
    this.#happenedIn.delete(directory);
    const entries = this.#entriesOf(directory, outer);
    const before = new Map(directory.children);
    directory.children.clear();
    const enter: WatchedDirectory<State>[] = [];
    for (const { name, kind } of entries) {
      const known = before.get(name);
      const isSame = known !== undefined && kindOf(known) === kind;
      const isWatched = known !== undefined && 'children' in known && known.watcher !== undefined;
      if (isSame && 'children' in known && isWatched && happened.get(name) !== true) {
        before.delete(name);
        directory.children.set(name, known);
        if (how.deep || happened.has(name)) enter.push(known);
      } else if (isSame && !('children' in known)) {
        before.delete(name);
        directory.children.set(name, known);
        if (happened.has(name)) this.#stale(known);
      } else if (kind === 'directory') {
        // The old one must be let go of first: a watch belongs to what was there, not to its name.
        if (known !== undefined) this.#drop(known);
        before.delete(name);
        const child = this.#directory(childPath(directory, name), directory);
        directory.children.set(name, child);
        enter.push(child);
      } else this.#addFile(directory, name, kind);
    }
    for (const gone of before.values()) this.#drop(gone);
    this.version += 1;
    for (const child of enter) {
      await how.turns.next();
      if (child.isGone || this.#isClosed) continue;
      await this.#list(child, directory.scope, { deep: true, turns: how.turns });
    }
  }

  #entriesOf(
    directory: WatchedDirectory<State>,
    outer: IgnoreScope | undefined,
  ): readonly TreeEntry[] {
    const absolute = absolutePath(this.#options.root, directory.path);
    try {
      const filter = { rules: this.#rules, hidden: true };
      // The rules of the root are made from all above it.
      const { entries, scope } = readTreeDirectory(absolute, outer, filter);
      directory.scope = scope;
      directory.problem = undefined;
      return entries;
    } catch (error) {
      directory.problem = reasonOf(error);
      return [];
    }
  }

  #addFile(directory: WatchedDirectory<State>, name: string, kind: FileKind): void {
    const path = childPath(directory, name);
    this.#files += 1;
    this.#pathUnits += path.length;
    if (this.#files > this.#options.maxFiles) throw new NotWatchable('Too many files.');
    if (this.#pathUnits > this.#options.maxPathUnits) throw new NotWatchable('Paths too long.');
    const isStale = kind === 'file';
    const file = { path, kind, state: this.#options.initial, isStale, isGone: false };
    directory.children.set(name, file);
    if (isStale) this.#options.onChange(file);
  }

  #stale(file: WatchedFile<State>): void {
    if (file.isStale || file.kind !== 'file') return;
    file.isStale = true;
    this.#options.onChange(file);
  }

  /** Watches a directory that will be listed next, unless it is closed, or gone already, as its parent's watch tells. */
  #directory(path: string, outer: WatchedDirectory<State> | undefined): WatchedDirectory<State> {
    const absolute = absolutePath(this.#options.root, path);
    const happened = new Map<string, boolean>();
    const note = (cameOrWent: boolean, name: string | null) => {
      if (name === null) this.#isLost = true;
      else happened.set(name, cameOrWent || happened.get(name) === true);
      if (directory !== undefined) this.#happenedIn.add(directory);
    };
    let watcher: FSWatcher | undefined;
    try {
      watcher = this.#watch(absolute, note);
    } catch (error) {
      if (error instanceof NotWatchable) throw error;
      const reason = reasonOf(error);
      if (reason !== 'gone' && reason !== 'permission') {
        throw new NotWatchable('There are no more watches to be had.', { cause: error });
      }
    }
    this.#directories += 1;
    if (this.#directories > this.#options.maxDirectories) {
      watcher?.close();
      throw new NotWatchable('Too many directories.');
    }
    const made = { path, outer, children: new Map(), watcher, scope: undefined, happened };
    const directory: WatchedDirectory<State> = { ...made, problem: undefined, isGone: false };
    return directory;
  }

  #watch(absolute: string, note: (cameOrWent: boolean, name: string | null) => void): FSWatcher {
    const { dev } = lstatSync(absolute);
    if (!this.#devices.has(dev)) {
      if (!watchableTypes.has(statfsSync(absolute).type)) {
        throw new NotWatchable('Not a local file system.');
      }
      this.#devices.add(dev);
    }
    const watcher = watch(absolute, { persistent: false }, (type, name) => {
      this.#countEvent();
      note(type === 'rename', name);
    });
    watcher.on('error', () => {
      this.#isLost = true;
    });
    return watcher;
  }

  /** Events are delivered in one go until the queue is empty: many at once mean that it may have run over. */
  #countEvent(): void {
    if (this.#events === 0) void this.#forgetEvents();
    this.#events += 1;
    if (this.#events >= this.#maxEvents) this.#isLost = true;
  }

  /** What was delivered in one go ends with the turn of the loop. */
  async #forgetEvents(): Promise<void> {
    await setImmediate();
    this.#events = 0;
  }

  #drop(gone: WatchedFile<State> | WatchedDirectory<State>): void {
    gone.isGone = true;
    if (!('children' in gone)) {
      this.#files -= 1;
      this.#pathUnits -= gone.path.length;
      if (gone.kind === 'file') this.#options.onChange(gone);
      return;
    }
    this.#directories -= 1;
    gone.watcher?.close();
    for (const child of gone.children.values()) this.#drop(child);
    gone.children.clear();
  }

  #identityOfRoot(): string {
    const stat = lstatSync(this.#options.root, { throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.dev}:${stat.ino}`;
  }
}

function childPath(directory: WatchedDirectory<unknown>, name: string): string {
  return directory.path === '' ? name : `${directory.path}/${name}`;
}

function kindOf(child: WatchedFile<unknown> | WatchedDirectory<unknown>): FileKind {
  return 'children' in child ? 'directory' : child.kind;
}

/** What makes the rules: in any spelling, as the disk may fold case. */
function isRuleName(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === '.gitignore' || lower === '.git';
}

/** Events that the system keeps until they are read; what comes after is dropped without a word to us. */
function queueLength(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')) || 16_384;
  } catch {
    return 16_384;
  }
}

import { canonicalDigest, type Digest } from '../digest/canonical-digest.ts';
import { sha256Hex } from '../digest/sha256.ts';
import { ToolError } from '../errors/tool-error.ts';
import { hostCodeLimitMs, within } from '../kernel/within.ts';
import type { StateStore } from '../state/state-store.ts';
import type { PromotedChange } from '../workspace/writer.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { compareUtf8 } from '../workspace/workspace-path.ts';

/** Calls that can be undone, at most; the oldest is forgotten first. */
export const maxUndoEntries = 200;

/** Bytes of pre-images that are kept, at most: 64 MiB. */
export const maxUndoBytes = 64 * 1024 * 1024;

/** What one path was before a call, and what the call made of it. */
export interface UndoFile {
  readonly path: string;
  /** Null when the call created the path. */
  readonly before_sha256: string | null;
  /** Null when the call deleted the path. */
  readonly after_sha256: string | null;
  readonly executable: boolean;
  /** Permission bits it had, where the workspace keeps them. */
  readonly mode?: number;
}

/** One mutating call. */
export interface UndoEntry {
  readonly schema: 'toolwright.undo-entry.v1';
  readonly invocation_id: string;
  readonly tool: string;
  /** Milliseconds since 1970, by the host's clock. */
  readonly recorded_at: number;
  /** Orders the calls of one process that were recorded at the same time. */
  readonly sequence: number;
  /** The files, or why the call cannot be undone. */
  readonly files: readonly UndoFile[];
  readonly not_undoable?: string;
}

/** Notes the changes of one call. */
export interface UndoRecorder {
  /** Keeps what paths hold now. */
  before(paths: readonly string[]): Promise<void>;
  after(changes: readonly PromotedChange[]): void;
}

interface Image {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
  readonly mode?: number;
}

/**
 * What mutating calls have changed, and the bytes that were there before: private, no tool reads them. Kept in
 * memory and, where the host keeps state, there too, so that another process can undo.
 */
export class UndoJournal {
  readonly #workspace: Workspace;
  readonly #state: StateStore | undefined;
  readonly #clock: () => number;
  readonly #entries = new Map<string, UndoEntry>();
  readonly #images = new Map<string, Uint8Array>();
  readonly #changed = new Map<string, Set<string>>();
  /** What this session's calls made of each path they changed; null for a deleted one. */
  readonly #latest = new Map<string, string | null>();
  #bytes = 0;
  #sequence = 0;
  #writes: Promise<unknown> = Promise.resolve();
  #loaded: Promise<void> | undefined;

  constructor(options: {
    readonly workspace: Workspace;
    readonly state: StateStore | undefined;
    readonly clock: () => number;
  }) {
    this.#workspace = options.workspace;
    this.#state = options.state;
    this.#clock = options.clock;
  }

  /** Paths that a call in flight has changed; forgotten by `settle`. */
  changedPaths(invocationId: string): readonly string[] {
    const changed = this.#changed.get(invocationId);
    return changed === undefined ? [] : [...changed].sort();
  }

  /** Forgets what only the call in flight needed. */
  settle(invocationId: string): void {
    this.#changed.delete(invocationId);
  }

  /** A digest of what this session's calls have made of the files they changed, whoever changed those before. */
  changesDigest(): Digest {
    const files = [...this.#latest].sort(([a], [b]) => compareUtf8(a, b));
    return canonicalDigest('toolwright.session-changes.v1', files);
  }

  recorder(invocationId: string, tool: string): UndoRecorder {
    const before = new Map<string, Image | null | 'too_large'>();
    return {
      before: async (paths) => {
        for (const path of paths) {
          if (!before.has(path)) before.set(path, await this.#imageOf(path));
        }
      },
      after: (changes) => {
        const changed = this.#changed.get(invocationId) ?? new Set<string>();
        for (const { path } of changes) changed.add(path);
        this.#changed.set(invocationId, changed);
        this.#record(invocationId, { tool, changes, before });
      },
    };
  }

  /** The last calls that changed something, newest first. */
  async list(): Promise<readonly UndoEntry[]> {
    await this.#load();
    return [...this.#entries.values()].sort(
      (a, b) => b.recorded_at - a.recorded_at || b.sequence - a.sequence,
    );
  }

  /**
   * What a call changed. Errors: `not_found` for a call that changed nothing or was forgotten, `unsupported` for
   * one whose pre-images were too large to keep.
   */
  async find(invocationId: string): Promise<UndoEntry> {
    await this.#load();
    const entry = this.#entries.get(invocationId);
    if (entry === undefined) {
      throw new ToolError(
        'not_found',
        `No change by a call ${JSON.stringify(invocationId)} is on record: it changed nothing, or it is too long ago.`,
        { reason: 'not_journaled' },
      );
    }
    if (entry.not_undoable !== undefined) {
      throw new ToolError('unsupported', `That call cannot be undone: ${entry.not_undoable}.`, {
        reason: 'not_undoable',
      });
    }
    return entry;
  }

  /** The bytes of a pre-image. Errors: `not_found` when they are no longer kept. */
  async imageBytes(sha256: string): Promise<Uint8Array> {
    const bytes = this.#images.get(sha256) ?? (await this.#readState(imageKey(sha256)));
    if (bytes === undefined || sha256Hex(bytes) !== sha256) {
      throw new ToolError('not_found', 'The bytes from before that call are no longer kept.', {
        reason: 'image_lost',
      });
    }
    return bytes;
  }

  /** Settles when all that was noted is in the state. */
  async flush(): Promise<void> {
    await this.#writes;
  }

  async #imageOf(path: string): Promise<Image | null | 'too_large'> {
    const { files } = this.#workspace;
    if (files === undefined) return 'too_large';
    try {
      const reader = await files.openRead(path);
      try {
        const { size, executable, mode } = reader.stat;
        if (size > maxUndoBytes / 4) return 'too_large';
        const bytes = await reader.read(0, size);
        return { bytes, executable, ...(mode === undefined ? {} : { mode }) };
      } finally {
        await reader.close();
      }
    } catch (error) {
      if (ToolError.isInstance(error) && error.type === 'not_found') return null;
      throw error;
    }
  }

  #record(
    invocationId: string,
    noted: {
      readonly tool: string;
      readonly changes: readonly PromotedChange[];
      readonly before: ReadonlyMap<string, Image | null | 'too_large'>;
    },
  ): void {
    const files = new Map<string, UndoFile>();
    const known = this.#entries.get(invocationId);
    for (const file of known?.files ?? []) files.set(file.path, file);
    let obstacle = known?.not_undoable;
    for (const { path, beforeSha256, afterSha256 } of noted.changes) {
      this.#latest.set(path, afterSha256);
      const image = noted.before.get(path);
      const earlier = files.get(path);
      if (image === 'too_large') obstacle = `${path} was too large to keep`;
      else if (image !== null && image !== undefined && earlier === undefined) {
        if (beforeSha256 !== null) this.#keep(beforeSha256, image.bytes);
      }
      const kept = typeof image === 'object' && image !== null ? image : undefined;
      const mode = earlier === undefined ? kept?.mode : earlier.mode;
      files.set(path, {
        path,
        before_sha256: earlier === undefined ? beforeSha256 : earlier.before_sha256,
        after_sha256: afterSha256,
        executable: earlier?.executable ?? kept?.executable ?? false,
        ...(mode === undefined ? {} : { mode }),
      });
    }
    this.#sequence += 1;
    const entry: UndoEntry = {
      schema: 'toolwright.undo-entry.v1',
      invocation_id: invocationId,
      tool: noted.tool,
      recorded_at: known?.recorded_at ?? this.#clock(),
      sequence: known?.sequence ?? this.#sequence,
      files: [...files.values()],
      ...(obstacle === undefined ? {} : { not_undoable: obstacle }),
    };
    this.#entries.set(invocationId, entry);
    this.#forgetOldest();
    this.#save(entry);
  }

  #keep(sha256: string, bytes: Uint8Array): void {
    if (this.#images.has(sha256)) return;
    this.#images.set(sha256, bytes);
    this.#bytes += bytes.length;
  }

  #forgetOldest(): void {
    for (const id of this.#entries.keys()) {
      if (this.#entries.size <= maxUndoEntries && this.#bytes <= maxUndoBytes) return;
      if (this.#entries.size === 1) return;
      const entry = this.#entries.get(id);
      this.#entries.delete(id);
      for (const { before_sha256: sha256 } of entry?.files ?? []) {
        if (sha256 === null || this.#isReferenced(sha256)) continue;
        this.#bytes -= this.#images.get(sha256)?.length ?? 0;
        this.#images.delete(sha256);
        this.#later((state) => state.delete(imageKey(sha256)));
      }
      this.#later((state) => state.delete(entryKey(id)));
    }
  }

  #isReferenced(sha256: string): boolean {
    for (const { files } of this.#entries.values()) {
      if (files.some((file) => file.before_sha256 === sha256)) return true;
    }
    return false;
  }

  #save(entry: UndoEntry): void {
    for (const { before_sha256: sha256 } of entry.files) {
      const bytes = sha256 === null ? undefined : this.#images.get(sha256);
      if (sha256 === null || bytes === undefined) continue;
      this.#later(async (state) => {
        if ((await state.read(imageKey(sha256))) === undefined) {
          await state.write(imageKey(sha256), bytes);
        }
      });
    }
    const bytes = new TextEncoder().encode(JSON.stringify(entry));
    this.#later((state) => state.write(entryKey(entry.invocation_id), bytes));
  }

  /** Writes to the state one after the other, behind the calls; a state that fails costs only the other process. */
  #later(write: (state: StateStore) => Promise<void>): void {
    const state = this.#state;
    if (state === undefined) return;
    const previous = this.#writes;
    this.#writes = (async () => {
      await previous;
      try {
        await within(() => write(state), hostCodeLimitMs);
      } catch {
        // The change itself has happened and can still be undone in this process.
      }
    })();
  }

  /** Takes over what other processes noted; a state that cannot be read is asked again the next time. */
  async #load(): Promise<void> {
    if (this.#state === undefined) return;
    this.#loaded ??= this.#loadFromState(this.#state);
    try {
      await this.#loaded;
    } catch {
      // What this process did itself can be undone all the same.
      this.#loaded = undefined;
    }
  }

  async #loadFromState(state: StateStore): Promise<void> {
    await this.#writes;
    const keys = await within(() => state.list('undo/entries/'), hostCodeLimitMs);
    for (const key of keys) {
      const entry = toEntry(await this.#readState(key));
      if (entry !== undefined && !this.#entries.has(entry.invocation_id)) {
        this.#entries.set(entry.invocation_id, entry);
      }
    }
  }

  async #readState(key: string): Promise<Uint8Array | undefined> {
    const state = this.#state;
    if (state === undefined) return undefined;
    return within(() => state.read(key), hostCodeLimitMs);
  }
}

function imageKey(sha256: string): string {
  return `undo/images/${sha256}`;
}

function entryKey(invocationId: string): string {
  return `undo/entries/${sha256Hex(invocationId).slice(0, 32)}`;
}

/** An entry as this class writes them; undefined for bytes that are none. */
function toEntry(bytes: Uint8Array | undefined): UndoEntry | undefined {
  if (bytes === undefined) return undefined;
  try {
    // The shape is looked at below; only this class writes below `undo/`.
    const entry = JSON.parse(new TextDecoder().decode(bytes)) as UndoEntry;
    const isOurs = entry.schema === 'toolwright.undo-entry.v1' && Array.isArray(entry.files);
    return isOurs && typeof entry.invocation_id === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}

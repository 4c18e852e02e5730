import type { ArtifactInfo } from './artifact-store.ts';

/** Artifacts that are remembered before those that the store has dropped are looked for. */
const pruneAt = 4_096;

/** What a session has kept: the artifacts that it may name, and the holders for which something was kept. */
export class KnownArtifacts {
  readonly #artifacts = new Map<string, ArtifactInfo>();
  /** Most calls keep nothing, and a session can make many. */
  readonly #holders = new Set<string>();
  #pruneAt = pruneAt;
  #closed = false;

  /** After it, nothing is remembered and new pins have nobody to hold them. */
  get closed(): boolean {
    return this.#closed;
  }

  has(uri: string): boolean {
    return this.#artifacts.has(uri);
  }

  list(): readonly ArtifactInfo[] {
    return [...this.#artifacts.values()];
  }

  holders(): readonly string[] {
    return [...this.#holders];
  }

  add(info: ArtifactInfo): void {
    if (!this.#closed) this.#artifacts.set(info.uri, info);
  }

  hold(holder: string): void {
    this.#holders.add(holder);
  }

  letGo(holder: string): void {
    this.#holders.delete(holder);
  }

  /** Whether so many were added that it is worth asking the store what it still has. */
  get isLarge(): boolean {
    return this.#artifacts.size >= this.#pruneAt;
  }

  /** Forgets what the store has dropped. */
  prune(kept: readonly ArtifactInfo[]): void {
    const uris = new Set(kept.map(({ uri }) => uri));
    for (const uri of this.#artifacts.keys()) if (!uris.has(uri)) this.#artifacts.delete(uri);
    this.#pruneAt = Math.max(pruneAt, 2 * this.#artifacts.size);
  }

  close(): void {
    this.#closed = true;
    this.#artifacts.clear();
  }
}

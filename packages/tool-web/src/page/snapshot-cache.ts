import type { PageSnapshot } from './render-snapshot.ts';

/** Bytes of text kept, UTF-16; the page unused for longest goes first. */
const MAX_KEPT_CHARS = 4 * 1024 * 1024;
/** Milliseconds for which a page is gone on with. */
const MAX_AGE_MS = 15 * 60 * 1000;
/** Digests remembered after their pages have gone, to tell that a page has changed. */
const MAX_DIGESTS = 1024;

/** The pages of a session that can be gone on with, and the digests of those that were read before. */
export class SnapshotCache {
  readonly #pages = new Map<string, { readonly snapshot: PageSnapshot; readonly atMs: number }>();
  readonly #digests = new Map<string, string>();
  #chars = 0;

  get(key: string, nowMs: number): PageSnapshot | undefined {
    const entry = this.#pages.get(key);
    if (entry === undefined || nowMs - entry.atMs > MAX_AGE_MS) {
      this.#drop(key);
      return undefined;
    }
    this.#pages.delete(key);
    this.#pages.set(key, entry);
    return entry.snapshot;
  }

  /** The digest that the page had when it was last read. */
  lastDigest(key: string): string | undefined {
    return this.#digests.get(key);
  }

  put(key: string, snapshot: PageSnapshot, atMs: number): void {
    this.#drop(key);
    this.#pages.set(key, { snapshot, atMs });
    this.#chars += snapshot.text.length;
    for (const [oldest] of this.#pages) {
      if (this.#chars <= MAX_KEPT_CHARS) {
        break;
      }
      this.#drop(oldest);
    }
    this.#digests.delete(key);
    this.#digests.set(key, snapshot.sha256);
    const [first] = this.#digests.keys();
    if (this.#digests.size > MAX_DIGESTS && first !== undefined) {
      this.#digests.delete(first);
    }
  }

  #drop(key: string): void {
    const entry = this.#pages.get(key);
    if (entry !== undefined) {
      this.#pages.delete(key);
      this.#chars -= entry.snapshot.text.length;
    }
  }
}

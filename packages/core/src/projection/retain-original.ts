import type {
  ArtifactRetention,
  ArtifactStore,
  ArtifactWriteOptions,
  ArtifactWriter,
} from '../artifacts/artifact-store.ts';
import { judgeRetention, type ExpectedContent } from '../artifacts/judge-retention.ts';

/**
 * Hands an original to a store, bit by bit, without ever failing: a store that breaks or answers nonsense must not
 * turn a finished call into an error. What could not be kept is said by the reason.
 */
export class OriginalRetainer {
  readonly #store: ArtifactStore | undefined;
  readonly #options: Omit<ArtifactWriteOptions, 'sha256'>;
  #writer: ArtifactWriter | undefined;
  #expected: ExpectedContent | undefined;
  #hasFailed = false;

  constructor(store: ArtifactStore | undefined, options: Omit<ArtifactWriteOptions, 'sha256'>) {
    this.#store = store;
    this.#options = options;
  }

  /** Keeps a content that is there at once. */
  async put(content: Uint8Array, expected: ExpectedContent): Promise<ArtifactRetention> {
    if (this.#store === undefined) return NO_STORE;
    try {
      const options = { ...this.#options, sha256: () => expected.sha256 };
      return judgeRetention(await this.#store.put(content, options), expected);
    } catch {
      return STORE_FAILED;
    }
  }

  /** Keeps the next bytes of a content. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#store === undefined || this.#hasFailed) return;
    try {
      this.#writer ??= await this.#store.openWriter({
        ...this.#options,
        sha256: () => this.#digest(),
      });
      await this.#writer.write(bytes);
    } catch {
      this.#hasFailed = true;
      await this.abort();
    }
  }

  /** Ends the content that was written. */
  async finish(expected: ExpectedContent): Promise<ArtifactRetention> {
    if (this.#store === undefined) return NO_STORE;
    if (this.#writer === undefined || this.#hasFailed) return STORE_FAILED;
    this.#expected = expected;
    try {
      return judgeRetention(await this.#writer.finish(), expected);
    } catch {
      return STORE_FAILED;
    }
  }

  /** Drops what was written. */
  async abort(): Promise<void> {
    try {
      await this.#writer?.abort();
    } catch {
      // The store is broken already; there is nothing more to drop.
    }
  }

  #digest(): string {
    if (this.#expected === undefined)
      throw new TypeError('The digest is known when the content ends');
    return this.#expected.sha256;
  }
}

const NO_STORE: ArtifactRetention = { retained: false, reason: 'no_store' };
const STORE_FAILED: ArtifactRetention = { retained: false, reason: 'store_failed' };

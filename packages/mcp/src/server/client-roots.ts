/** Milliseconds that a client has to list its roots. */
export const rootsLimitMs = 5_000;

/** Asks a client for its roots; a bare `roots/list` answer. */
export type ListRoots = () => Promise<unknown>;

/** The roots of one client, asked for when a call first needs them and again after they changed. */
export class ClientRoots {
  #uris: readonly string[] | undefined;
  #asking: Promise<void> | undefined;

  /** `file:` URIs; undefined while the client shares none. */
  uris(): readonly string[] | undefined {
    return this.#uris;
  }

  /** The client told of a change: what is known holds until it was asked again. */
  expire(): void {
    this.#asking = undefined;
  }

  /** Asks, unless that was done. A client that does not answer shares none. */
  async learn(list: ListRoots): Promise<void> {
    this.#asking ??= this.#ask(list);
    await this.#asking;
  }

  async #ask(list: ListRoots): Promise<void> {
    try {
      const answer = await list();
      this.#uris = toUris(answer);
    } catch {
      this.#uris = undefined;
    }
  }
}

function toUris(answer: unknown): readonly string[] | undefined {
  if (typeof answer !== 'object' || answer === null || !('roots' in answer)) return undefined;
  const { roots } = answer;
  if (!Array.isArray(roots)) return undefined;
  return roots
    .map((root: unknown) =>
      typeof root === 'object' && root !== null && 'uri' in root ? root.uri : undefined,
    )
    .filter((uri): uri is string => typeof uri === 'string' && uri.startsWith('file:'));
}

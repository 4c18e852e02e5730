/** The host's embedding model. */
export interface EmbeddingClient {
  /** Names model and version: vectors of different ids do not compare. */
  readonly id: string;
  readonly dimensions: number;
  /** One vector a text, in order. */
  embed(
    texts: readonly string[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly Float32Array[]>;
}

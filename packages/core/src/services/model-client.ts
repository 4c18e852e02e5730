import type { JsonObject, JsonValue } from '../json/json.ts';

/** A request for one completion; how it is fulfilled is the host's. */
export interface ModelRequest {
  /** A role or name that the host maps to a model. Default: the host's default model. */
  readonly model?: string;
  readonly system?: string;
  readonly prompt: string;
  /** Ask for an object of this JSON Schema. */
  readonly schema?: JsonObject;
  /** `auto` lets the client choose how to bring the object about. Default `auto`. */
  readonly mode?: 'auto' | 'strict' | 'json' | 'tool' | 'prompt';
  readonly maxOutputTokens?: number;
  readonly signal?: AbortSignal;
}

/** Tokens that a request used; absent counts were not told. */
export interface ModelUsage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

/** A completion. */
export interface ModelResponse {
  readonly text: string;
  readonly object?: JsonValue;
  /** The mode in which the object was asked for. */
  readonly modeUsed?: string;
  readonly usage: ModelUsage;
}

/** The host's models, for tools that need one; every call is budgeted as a `model` effect. */
export interface ModelClient {
  complete(request: ModelRequest): Promise<ModelResponse>;
}

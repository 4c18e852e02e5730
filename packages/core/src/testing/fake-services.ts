import { ToolError } from '../errors/tool-error.ts';
import type { HttpClient, HttpRequest } from '../services/http-client.ts';
import type { ModelClient, ModelRequest, ModelResponse } from '../services/model-client.ts';

/** What a fake server answers. */
export interface FakeResponse {
  /** Default 200. */
  readonly status?: number;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default empty. */
  readonly body?: string | Uint8Array;
}

/**
 * An HttpClient that answers from a function and reaches nothing; `requests` are those that were made. An
 * answer of undefined is the error `transport` (`refused`); an aborted signal is its reason.
 */
export function fakeHttpClient(
  answer: (request: HttpRequest) => FakeResponse | undefined,
): HttpClient & { readonly requests: readonly HttpRequest[] } {
  const requests: HttpRequest[] = [];
  return {
    requests,
    request: async (request) => {
      requests.push(request);
      request.signal?.throwIfAborted();
      const response = answer(request);
      if (response === undefined) {
        throw new ToolError('transport', 'Nobody answers at this address.', { reason: 'refused' });
      }
      const { status = 200, headers = {}, body = '' } = response;
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
      return {
        status,
        headers,
        url: request.url,
        redirects: [],
        body: (async function* () {
          request.signal?.throwIfAborted();
          yield bytes;
        })(),
        cancel: async () => {},
      };
    },
    close: async () => {},
  };
}

/** A ModelClient that answers from a function; `requests` are those that were made. */
export function fakeModelClient(
  answer: (request: ModelRequest) => Partial<ModelResponse>,
): ModelClient & { readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    complete: async (request) => {
      requests.push(request);
      request.signal?.throwIfAborted();
      return { text: '', usage: {}, ...answer(request) };
    },
  };
}

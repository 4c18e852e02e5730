import { ToolError } from '../errors/tool-error.ts';
import type { BrowserClient, RenderedPage, RenderRequest } from '../services/browser-client.ts';
import type { EmbeddingClient } from '../services/embedding-client.ts';
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
      const { status = 200, headers = {}, body = '' } = answer(request) ?? refuse();
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

/**
 * An EmbeddingClient that answers from a function, a list of numbers a text; `texts` are those that were embedded. All lists
 * have one length; default: three numbers made of the text.
 */
export function fakeEmbeddingClient(
  answer: (text: string) => readonly number[] = lettersOf,
): EmbeddingClient & { readonly texts: readonly string[] } {
  const texts: string[] = [];
  return {
    texts,
    id: 'fake/1',
    dimensions: answer('').length,
    embed: async (given, options) => {
      options?.signal?.throwIfAborted();
      texts.push(...given);
      return given.map((text) => Float32Array.from(answer(text)));
    },
  };
}

/** How many letters, digits and other characters a text has: equal texts are near, others mostly not. */
function lettersOf(text: string): readonly number[] {
  const letters = text.replaceAll(/[^A-Za-z]/g, '').length;
  const digits = text.replaceAll(/\D/g, '').length;
  return [letters, digits, text.length - letters - digits];
}

/**
 * A BrowserClient that answers from a function and reaches nothing; `requests` are those that were made. It asks `onRequest`
 * for the page and for each of `loads`, as a browser does. An answer of undefined is the error `transport` (`refused`).
 */
export function fakeBrowserClient(
  answer: (
    request: RenderRequest,
  ) => (Partial<RenderedPage> & { readonly loads?: readonly string[] }) | undefined,
): BrowserClient & { readonly requests: readonly RenderRequest[] } {
  const requests: RenderRequest[] = [];
  return {
    requests,
    render: async (request) => {
      requests.push(request);
      request.signal?.throwIfAborted();
      const { loads = [], ...page } = answer(request) ?? refuse();
      for (const url of [request.url, ...loads]) await request.onRequest?.({ url, method: 'GET' });
      return { url: request.url, html: '', status: 200, ...page };
    },
    close: async () => {},
  };
}

function refuse(): never {
  throw new ToolError('transport', 'Nobody answers at this address.', { reason: 'refused' });
}

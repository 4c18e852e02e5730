import type { HttpClient, HttpRequest, HttpResponse } from '@toolwright/core';

/** A host's HTTP client without a guard: the suite's servers, and the authorization servers that they name, are on this machine. */
export function openHttp(): HttpClient {
  return { request, close: async () => {} };
}

async function request(sent: HttpRequest): Promise<HttpResponse> {
  const response = await fetch(sent.url, {
    method: sent.method ?? 'GET',
    headers: { ...sent.headers },
    redirect: 'manual',
    ...(sent.body === undefined ? {} : { body: Buffer.from(sent.body) }),
    ...(sent.signal === undefined ? {} : { signal: sent.signal }),
  });
  const { body } = response;
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers.entries()),
    url: sent.url,
    redirects: [],
    body: body === null ? nothing() : body,
    cancel: async () => {
      if (body?.locked === false) await body.cancel();
    },
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

import type { BrowserClient, EmbeddingClient, HostServices } from '@toolwright/core';
import { fakeHttpClient, fakeModelClient } from '@toolwright/core/testing';

const embeddings: EmbeddingClient = {
  id: 'stand-in',
  dimensions: 2,
  embed: async (texts, options) => {
    options?.signal?.throwIfAborted();
    return texts.map((text) => Float32Array.of(text.length, 1));
  },
};

const browser: BrowserClient = {
  render: async ({ url, signal }) => {
    signal?.throwIfAborted();
    return { url, html: '<!doctype html><title>Stand-in</title>', status: 200 };
  },
  close: async () => {},
};

/** Services that reach nothing: every URL answers with an empty text, every model with nothing. */
export function standIns(): HostServices {
  return {
    http: fakeHttpClient(() => ({ headers: { 'content-type': 'text/plain; charset=utf-8' } })),
    models: fakeModelClient(() => ({})),
    embeddings,
    browser,
  };
}

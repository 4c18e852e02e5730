import { expect, test } from 'vitest';
import { createHost, defineProvider, defineTool, memoryWorkspace } from '../../src/index.ts';
import {
  fakeBrowserClient,
  fakeEmbeddingClient,
  fakeHttpClient,
  fakeModelClient,
} from '../../src/testing/index.ts';

/** One tool that uses all four services, as a stranger would test theirs. */
const look = defineTool({
  name: 'look',
  description: 'Looks at a page in four ways.',
  input: {
    type: 'object',
    properties: { url: { type: 'string' } },
    required: ['url'],
    additionalProperties: false,
  },
  requires: ['http', 'models', 'embeddings', 'browser'],
  effects: ({ url }) => [
    { kind: 'net', target: `${new URL(url).host}:443` },
    { kind: 'model', target: 'default' },
  ],
  run: async ({ url }, { http, models, embeddings, browser }) => {
    const response = await http.request({ url });
    let body = '';
    for await (const chunk of response.body) body += new TextDecoder().decode(chunk);
    const page = await browser.render({ url, timeoutMs: 100, maxBytes: 1_000 });
    const { text } = await models.complete({ prompt: body });
    const [vector] = await embeddings.embed([page.html]);
    return { output: [response.status, body, page.html, text, vector?.join(' ')].join('; ') };
  },
});

async function looking(loads: readonly string[] = []) {
  const services = {
    http: fakeHttpClient(({ url }) => (url.endsWith('/gone') ? undefined : { body: 'a page' })),
    browser: fakeBrowserClient(() => ({ html: '<p>a1!</p>', loads })),
    models: fakeModelClient(({ prompt }) => ({ text: prompt.toUpperCase() })),
    embeddings: fakeEmbeddingClient(),
  };
  const session = await createHost({
    providers: [defineProvider({ name: 'looks', version: '1.0.0', tools: [look] })],
    policy: { allow: ['net:example.com'] },
  }).open({ workspace: memoryWorkspace(), services });
  return { services, session };
}

test('a tool can be tried on fakes of all services, which keep what was asked of them', async () => {
  const { services, session } = await looking();
  const result = await session.invoke({ name: 'look', arguments: { url: 'https://example.com/' } });
  expect(result.output).toBe('200; a page; <p>a1!</p>; A PAGE; 3 1 6');
  expect(services.http.requests).toHaveLength(1);
  expect(services.browser.requests).toHaveLength(1);
  expect(services.models.requests.map(({ prompt }) => prompt)).toEqual(['a page']);
  expect(services.embeddings.texts).toEqual(['<p>a1!</p>']);
  await session.close();
});

test('what a fake page loads from elsewhere passes policy, as of a real one', async () => {
  const { session } = await looking(['https://other.example/track.js']);
  const { error } = await session.invoke({
    name: 'look',
    arguments: { url: 'https://example.com/' },
  });
  expect(error).toMatchObject({ type: 'confirmation_rejected', reason: 'no_approver' });
  await session.close();
});

test('where nothing is, a fake says so as a client does', async () => {
  const { session } = await looking();
  const { error } = await session.invoke({
    name: 'look',
    arguments: { url: 'https://example.com/gone' },
  });
  expect(error).toMatchObject({ type: 'transport', reason: 'refused' });
  await session.close();
});

import { defineTool } from '@toolwright/core';
import { expect, test, vi } from 'vitest';
import { connectLines, modernMeta, type Wire } from './stdio-client.ts';
import { noteTool } from './test-tools.ts';

interface Form {
  readonly message: string;
  readonly requestedSchema: {
    readonly properties: { readonly decision: { readonly enum: string[] } };
  };
}

const accept = (decision: string) => ({ action: 'accept', content: { decision } });

/** The only request that the server has sent, so far. */
async function asked(client: Awaited<ReturnType<typeof connectLines>>) {
  const request = await client.find(({ method }) => method === 'elicitation/create');
  // A form, as the assertions below see.
  return { id: request.id, form: request['params'] as Form };
}

const textsOf = (wire: Wire): readonly string[] =>
  ((wire.result?.['content'] ?? []) as { text?: string }[]).map(({ text = '' }) => text);

test('what policy asks is put before the user with its exact effects, and then runs once', async () => {
  const { note, ran } = noteTool();
  const client = await connectLines({ tools: [note] });
  await client.initialize({ elicitation: {} });
  client.send({ id: 1, method: 'tools/call', params: { name: 'note', arguments: { text: 'a' } } });
  const { id, form } = await asked(client);
  expect(form.message).toBe(
    [
      'The tool note asks for leave: no rule covers write notes/a.txt, so it is asked.',
      'What it will do:',
      '- write notes/a.txt',
      'Arguments: {"text":"a"}',
      '"allow for this session" also allows from now on: write:notes/a.txt',
    ].join('\n'),
  );
  expect(form.requestedSchema.properties.decision.enum).toEqual([
    'allow once',
    'allow for this session',
    'reject',
  ]);
  expect(ran).toEqual([]);
  client.send({ id, result: accept('allow once') });
  expect(textsOf(await client.find((message) => message.id === 1))).toEqual(['noted a']);
  expect(ran).toEqual(['a']);
  // Once means once: the same call is asked again.
  client.send({ id: 2, method: 'tools/call', params: { name: 'note', arguments: { text: 'a' } } });
  const again = await client.find((message) => message.method !== undefined && message.id !== id);
  client.send({ id: again.id, result: accept('allow for this session') });
  await client.find((message) => message.id === 2);
  // And for the session, for the session.
  const third = await client.request('tools/call', { name: 'note', arguments: { text: 'a' } });
  expect(textsOf(third)).toEqual(['noted a']);
  expect(ran).toEqual(['a', 'a', 'a']);
});

test.each([
  ['declined', { action: 'decline' }],
  ['cancelled', { action: 'cancel' }],
  ['rejected in the form', accept('reject')],
  ['accepted without a decision', { action: 'accept', content: {} }],
  ['accepted without a form', { action: 'accept' }],
  ['accepted with a word of its own', accept('yes please')],
])('everything but a clear yes is a no: %s', async (_title, answer) => {
  const { note, ran } = noteTool();
  const client = await connectLines({ tools: [note] });
  await client.initialize({ elicitation: { form: {} } });
  client.send({ id: 1, method: 'tools/call', params: { name: 'note', arguments: { text: 'a' } } });
  client.send({ id: (await asked(client)).id, result: answer });
  const { result } = await client.find((message) => message.id === 1);
  expect(result).toMatchObject({
    isError: true,
    _meta: { 'toolwright/result': { error: { type: 'confirmation_rejected' } } },
  });
  expect(ran).toEqual([]);
});

test('a client that breaks off the question has not given leave', async () => {
  const { note, ran } = noteTool();
  const client = await connectLines({ tools: [note] });
  await client.initialize({ elicitation: {} });
  client.send({ id: 1, method: 'tools/call', params: { name: 'note' } });
  const { id } = await asked(client);
  client.send({ id, error: { code: -32_603, message: 'no' } });
  expect((await client.find((message) => message.id === 1)).result).toMatchObject({
    isError: true,
  });
  expect(ran).toEqual([]);
});

test.each([
  ['nothing', {}],
  ['only URLs', { elicitation: { url: {} } }],
])('a client that can ask %s is told what to do', async (_title, capabilities) => {
  const { note, ran } = noteTool();
  const client = await connectLines({ tools: [note] });
  await client.initialize(capabilities);
  const answer = await client.request('tools/call', { name: 'note', arguments: { text: 'a' } });
  expect(textsOf(answer)).toEqual([
    "confirmation_rejected: This call of note needs a person's approval and nobody is there to give it: no rule covers write notes/a.txt, so it is asked.",
    expect.stringContaining('"policy": {"allow"'),
  ]);
  expect(answer.result).toMatchObject({ isError: true });
  expect(ran).toEqual([]);
});

test('a denial names its reason and asks nobody', async () => {
  const { note, ran } = noteTool();
  const client = await connectLines({
    tools: [note],
    host: { policy: { preset: 'trusted', deny: ['write:notes/secret.txt'] } },
  });
  await client.initialize({ elicitation: {} });
  const answer = await client.request('tools/call', {
    name: 'note',
    arguments: { text: 'secret' },
  });
  expect(textsOf(answer)[0]).toMatch(/^permission_denied: Policy refuses this call of note: /);
  expect(client.messages.some(({ method }) => method === 'elicitation/create')).toBe(false);
  expect(ran).toEqual([]);
});

test('what a nested call asks reaches the client of the call that led to it', async () => {
  const { note, ran } = noteTool();
  const both = defineTool({
    name: 'both',
    description: 'Notes two texts.',
    input: { type: 'object', properties: {}, additionalProperties: false } as const,
    orchestrator: true,
    effects: () => [],
    run: async (_input, context) => {
      const results = await Promise.all(
        ['x', 'y'].map((text) => context.invoke({ name: 'note', arguments: { text } })),
      );
      return { output: results.map(({ output }) => output).join(', ') };
    },
  });
  const client = await connectLines({ tools: [note, both] });
  await client.initialize({ elicitation: {} });
  client.send({ id: 'both', method: 'tools/call', params: { name: 'both' } });
  for (const text of ['x', 'y']) {
    const request = await client.find(({ params }) =>
      String((params as Form | undefined)?.message).includes(`write notes/${text}.txt`),
    );
    client.send({ id: request.id, result: accept(text === 'x' ? 'allow once' : 'reject') });
  }
  const [text] = textsOf(await client.find((message) => message.id === 'both'));
  expect(text).toMatch(/^noted x, confirmation_rejected: /);
  expect(ran).toEqual(['x']);
});

test('in the newer protocol the call waits for the request that brings the answer', async () => {
  const { note, ran } = noteTool();
  const client = await connectLines({ tools: [note] });
  const _meta = modernMeta({ elicitation: { form: {} } });
  const call = { name: 'note', arguments: { text: 'a' }, _meta };
  const first = await client.request('tools/call', call);
  expect(first.result).toMatchObject({ resultType: 'input_required' });
  const requests = first.result?.['inputRequests'] as Record<string, { params: Form }>;
  const [key = ''] = Object.keys(requests);
  expect(requests[key]?.params.message).toContain('- write notes/a.txt');
  const requestState = first.result?.['requestState'];
  const answers = { inputResponses: { [key]: accept('allow once') } };
  const refused = await Promise.all([
    // Another state, other arguments, another tool: an answer is one to this very call.
    client.request('tools/call', { ...call, ...answers, requestState: `${String(requestState)}x` }),
    client.request('tools/call', { ...call, ...answers, requestState, arguments: { text: 'b' } }),
    client.request('tools/call', { ...call, ...answers, requestState, name: 'other' }),
  ]);
  expect(refused.map(({ error }) => error?.code)).toEqual([-32_602, -32_602, -32_602]);
  expect(ran).toEqual([]);
  const empty = await client.request('tools/call', { ...call, requestState, inputResponses: {} });
  expect(Object.keys(empty.result?.['inputRequests'] ?? {})).toEqual([key]);
  const done = await client.request('tools/call', {
    ...call,
    ...answers,
    requestState: empty.result?.['requestState'],
  });
  expect(textsOf(done)).toEqual(['noted a']);
  expect(ran).toEqual(['a']);
  const replayed = await client.request('tools/call', {
    ...call,
    ...answers,
    requestState: empty.result?.['requestState'],
  });
  expect(replayed.error?.code).toBe(-32_602);
  expect(ran).toEqual(['a']);
});

test('a tool’s own question is a form, and its answer comes back', async () => {
  const wonder = defineTool({
    name: 'wonder',
    description: 'Asks the user.',
    input: { type: 'object', properties: {}, additionalProperties: false } as const,
    effects: () => [{ kind: 'ask', target: 'user' }],
    run: async (_input, context) => {
      const answer = await context.ask({ question: 'Which one?', options: ['red', 'blue'] });
      return { output: JSON.stringify(answer) };
    },
  });
  const client = await connectLines({ tools: [wonder] });
  await client.initialize({ elicitation: {} });
  client.send({ id: 1, method: 'tools/call', params: { name: 'wonder' } });
  const { id, form } = await asked(client);
  expect(form).toMatchObject({
    message: 'Which one?',
    requestedSchema: { properties: { answer: { type: 'string', enum: ['red', 'blue'] } } },
  });
  client.send({ id, result: { action: 'accept', content: { answer: 'blue' } } });
  expect(textsOf(await client.find((message) => message.id === 1))).toEqual([
    '{"answered":true,"answer":"blue"}',
  ]);
});

test('each of two calls that ask at once puts its own question', async () => {
  const wonder = defineTool({
    name: 'wonder',
    description: 'Asks the user.',
    input: {
      type: 'object',
      properties: { what: { type: 'string' } },
      required: ['what'],
      additionalProperties: false,
    } as const,
    capabilities: { readOnly: true, maxParallelism: 4 },
    effects: () => [{ kind: 'ask', target: 'user' }],
    run: async ({ what }, context) => {
      const answer = await context.ask({ question: what });
      return { output: answer.answered ? `${what} ${answer.answer}` : 'nobody' };
    },
  });
  const client = await connectLines({ tools: [wonder] });
  const _meta = modernMeta({ elicitation: { form: {} } });
  const ask = async (what: string): Promise<readonly string[]> => {
    const call = { name: 'wonder', arguments: { what }, _meta };
    const { result } = await client.request('tools/call', call);
    const requests = Object.entries(result?.['inputRequests'] ?? {});
    const inputResponses = Object.fromEntries(
      requests.map(([key, { params }]) => [
        key,
        { action: 'accept', content: { answer: `(asked ${params.message})` } },
      ]),
    );
    const requestState = result?.['requestState'];
    return textsOf(await client.request('tools/call', { ...call, inputResponses, requestState }));
  };
  expect(await Promise.all([ask('one?'), ask('two?')])).toEqual([
    ['one? (asked one?)'],
    ['two? (asked two?)'],
  ]);
});

test('a cancelled call takes its question back', async () => {
  const { note, ran } = noteTool();
  const client = await connectLines({ tools: [note] });
  await client.initialize({ elicitation: {} });
  client.send({ id: 1, method: 'tools/call', params: { name: 'note' } });
  const { id } = await asked(client);
  client.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
  const taken = await client.find(({ method }) => method === 'notifications/cancelled');
  expect(taken['params']).toMatchObject({ requestId: id });
  client.send({ id, result: accept('allow once') });
  await client.request('ping');
  await vi.waitFor(() => expect(client.messages.some((message) => message.id === 1)).toBe(false));
  expect(ran).toEqual([]);
});

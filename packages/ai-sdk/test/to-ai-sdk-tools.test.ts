import { createHost, defineProvider, defineTool, memoryWorkspace } from '@toolwright/core';
import { generateText, isStepCount, type ModelMessage } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, test } from 'vitest';
import { toAiSdkTools } from '../src/index.ts';

const put = defineTool({
  name: 'put',
  description: 'Writes a file.',
  input: {
    type: 'object',
    properties: { path: { type: 'string' }, text: { type: 'string' } },
    required: ['path', 'text'],
    additionalProperties: false,
  },
  requires: ['files.write'],
  effects: ({ path }) => [{ kind: 'write', target: path }],
  async run({ path, text }, context) {
    const transaction = await context.workspace.writer.begin();
    const content = new TextEncoder().encode(text);
    await transaction.stage({ kind: 'write', path, content, expected: { kind: 'any' } });
    await transaction.promoteAll();
    return { output: `wrote ${path}` };
  },
});

const provider = defineProvider({ name: 'example', version: '1.0.0', tools: [put] });

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls `put` once, and then says what it was told. */
function modelThatPuts(input: object): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1);
      const answered =
        last?.role === 'tool'
          ? last.content.find((part) => part.type === 'tool-result')
          : undefined;
      return answered === undefined
        ? {
            content: [
              {
                type: 'tool-call',
                toolCallId: 'c1',
                toolName: 'put',
                input: JSON.stringify(input),
              },
            ],
            finishReason: { unified: 'tool-calls', raw: undefined },
            usage,
            warnings: [],
          }
        : {
            content: [{ type: 'text', text: JSON.stringify(answered.output) }],
            finishReason: { unified: 'stop', raw: undefined },
            usage,
            warnings: [],
          };
    },
  });
}

test('a call that policy allows runs through the kernel', async () => {
  const host = createHost({ providers: [provider], policy: { allow: ['write:a.txt'] } });
  const workspace = memoryWorkspace();
  const session = await host.open({ workspace });
  const { tools, toolApproval } = toAiSdkTools(session);
  const { text } = await generateText({
    model: modelThatPuts({ path: 'a.txt', text: 'hi' }),
    tools,
    toolApproval,
    stopWhen: isStepCount(3),
    prompt: 'go',
  });
  expect(JSON.parse(text)).toEqual({ type: 'text', value: 'wrote a.txt' });
  expect((await workspace.files?.stat('a.txt'))?.size).toBe(2);
  await session.close();
});

test('a mistake in the arguments comes back as an error that names the key', async () => {
  const session = await createHost({ providers: [provider] }).open({
    workspace: memoryWorkspace(),
  });
  const { tools, toolApproval } = toAiSdkTools(session);
  const { text } = await generateText({
    model: modelThatPuts({ path: 'a.txt' }),
    tools,
    toolApproval,
    stopWhen: isStepCount(3),
    prompt: 'go',
  });
  expect(text).toContain('error-text');
  expect(text).toContain('/text');
  await session.close();
});

test('what policy asks goes through the approval flow of the SDK, once and for that call alone', async () => {
  const workspace = memoryWorkspace();
  const session = await createHost({ providers: [provider] }).open({ workspace });
  const { tools, toolApproval } = toAiSdkTools(session);
  const model = modelThatPuts({ path: 'a.txt', text: 'hi' });
  const messages: ModelMessage[] = [{ role: 'user', content: 'go' }];
  const asked = await generateText({
    model,
    tools,
    toolApproval,
    messages,
    stopWhen: isStepCount(3),
  });
  const request = asked.content.find((part) => part.type === 'tool-approval-request');
  expect(request).toBeDefined();
  await expect(workspace.files?.stat('a.txt')).rejects.toMatchObject({ type: 'not_found' });
  messages.push(...asked.responseMessages, {
    role: 'tool',
    content: [
      { type: 'tool-approval-response', approvalId: request?.approvalId ?? '', approved: true },
    ],
  });
  const done = await generateText({
    model,
    tools,
    toolApproval,
    messages,
    stopWhen: isStepCount(3),
  });
  expect(JSON.parse(done.text)).toEqual({ type: 'text', value: 'wrote a.txt' });
  expect(session.pendingApprovals()).toEqual([]);
  const again = await session.invoke({
    id: 'c1',
    name: 'put',
    arguments: { path: 'a.txt', text: 'hi' },
  });
  expect(again.error).toMatchObject({ type: 'confirmation_rejected', reason: 'no_approver' });
  await session.close();
});

test('an approval that is only pending approves nothing: two calls of one id, of which a person has answered none', async () => {
  const workspace = memoryWorkspace();
  let ask = (): void => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const session = await createHost({ providers: [provider] }).open({
    workspace,
    approver: () => {
      ask();
      return new Promise(() => {});
    },
  });
  const { tools } = toAiSdkTools(session);
  const options = { toolCallId: 'c1', messages: [], context: {} };
  const input = { path: 'a.txt', text: 'hi' };
  const first = tools['put']?.execute?.(input, options);
  await asked;
  const second = await tools['put']?.execute?.(input, options);
  expect(second).toMatchObject({ error: { reason: 'duplicate_id' } });
  await expect(workspace.files?.stat('a.txt')).rejects.toMatchObject({ type: 'not_found' });
  await session.close();
  await first;
});

test('after a restart a call that was asked about and never approved is asked about again', async () => {
  const workspace = memoryWorkspace();
  const host = createHost({ providers: [provider] });
  const before = await host.open({ workspace });
  await before.prepare({ id: 'c1', name: 'put', arguments: { path: 'a.txt', text: 'hi' } });
  const snapshot = await before.snapshot();
  await before.close();
  const session = await host.resume(snapshot, { workspace });
  expect(session.pendingApprovals()).toHaveLength(1);
  const { tools } = toAiSdkTools(session);
  const { text } = await generateText({
    model: modelThatPuts({ path: 'a.txt', text: 'hi' }),
    tools,
    stopWhen: isStepCount(3),
    prompt: 'go',
  });
  expect(text).toContain('nobody is there to give it');
  await expect(workspace.files?.stat('a.txt')).rejects.toMatchObject({ type: 'not_found' });
  await session.close();
});

test.each([true, false])(
  'a call that a person has answered (%s) while a stream waited is as they said',
  async (approved) => {
    const workspace = memoryWorkspace();
    const session = await createHost({ providers: [provider] }).open({ workspace });
    const { tools, toolApproval } = toAiSdkTools(session);
    const call = { toolCallId: 'c1', toolName: 'put', input: { path: 'a.txt', text: 'hi' } };
    expect(await toolApproval({ toolCall: call })).toMatchObject({ type: 'user-approval' });
    const messages: ModelMessage[] = [
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', ...call },
          { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved }] },
    ];
    const result = await tools['put']?.execute?.(call.input, {
      toolCallId: 'c1',
      messages,
      context: {},
    });
    expect(result).toMatchObject(
      approved ? { error: null } : { error: { type: 'confirmation_rejected' } },
    );
    await session.close();
  },
);

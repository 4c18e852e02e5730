import assert from 'node:assert/strict';
import { toAiSdkTools } from '@toolwright/ai-sdk';
import { createHost, defineProvider, defineTool, memoryWorkspace } from '@toolwright/core';

const clock = defineTool({
  name: 'clock',
  description: 'Tells the time.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  capabilities: { readOnly: true },
  effects: () => [],
  run: async (_input, context) => ({ output: new Date(context.now()).toISOString() }),
});
const host = createHost({
  providers: [defineProvider({ name: 'example', version: '1.0.0', tools: [clock] })],
});
const session = await host.open({ workspace: memoryWorkspace() });

const { tools, toolApproval, instructions } = toAiSdkTools(session);
// import { generateText, isStepCount } from 'ai';
// await generateText({ model, tools, toolApproval, instructions, prompt, stopWhen: isStepCount(20) })
assert(Object.keys(tools).join() === 'clock');
assert(typeof toolApproval === 'function' && instructions === '');
await session.close();

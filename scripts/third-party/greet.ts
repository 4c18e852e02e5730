// A tool package as a third party writes it: compiled and run against the packed core, by scripts/pack-check.mjs.
import assert from 'node:assert/strict';
import { createHost, defineProvider, defineTool, memoryWorkspace } from '@toolwright/core';

const greet = defineTool({
  name: 'greet',
  description: 'Greets whoever a file of the workspace names.',
  input: {
    type: 'object',
    properties: {
      file_path: { type: 'string', description: 'The file with the name.' },
      loud: { type: 'boolean', default: false, description: 'In capitals.' },
    },
    required: ['file_path'],
    additionalProperties: false,
  },
  requires: ['files.read'],
  capabilities: { readOnly: true, idempotent: true, cancellationSafe: true, maxParallelism: 8 },
  effects: ({ file_path }) => [{ kind: 'read', target: file_path }],
  async run({ file_path, loud }, context) {
    const reader = await context.workspace.files.openRead(file_path);
    try {
      const name = new TextDecoder().decode(await reader.read(0, 1_024)).trim();
      const text = `hello ${name}`;
      return { output: loud ? text.toUpperCase() : text };
    } finally {
      await reader.close();
    }
  },
});

export const greetings = defineProvider({
  name: 'greetings',
  version: '1.0.0',
  tools: [greet],
  helpers: (session) => ({
    greet: async (path: string) => (await session.tool('greet', { file_path: path })).output,
  }),
});

const host = createHost({ providers: [greetings] });
const session = await host.open({ workspace: memoryWorkspace({ files: { name: 'Ada\n' } }) });
assert.equal(await session.greet('name'), 'hello Ada');
const loud = await session.tool('greet', { file_path: 'name', loud: true });
assert.equal(loud.output, 'HELLO ADA');
await session.close();

// What must not compile: the compiler checks this file, and an expectation that is not needed is an error.
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type HelpersOf,
} from '../../src/index.ts';

const input = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    count: { type: 'integer', default: 3 },
    mode: { enum: ['fast', 'slow'] },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['path'],
  additionalProperties: false,
} as const;

const size = defineTool({
  name: 'size',
  description: 'Tells the size of a file.',
  input,
  requires: ['files.read'],
  uses: ['search'],
  effects: ({ path }) => [{ kind: 'read', target: path }],
  async run({ path, count, mode, tags }, context) {
    const exact: [string, number, 'fast' | 'slow' | undefined, readonly string[] | undefined] = [
      path,
      count,
      mode,
      tags,
    ];
    // @ts-expect-error a default makes the property a number, never a text
    const wrong: string = count;
    // @ts-expect-error nothing declared writing
    void context.workspace.writer;
    // @ts-expect-error the network was not declared
    void context.http;
    // @ts-expect-error what is only used may be absent
    const grep = () => context.workspace.search.grep;
    void grep;
    const stat = await context.workspace.files.stat(path);
    return { output: `${stat.size} ${wrong} ${exact.length}` };
  },
});

const provider = defineProvider({
  name: 'sizes',
  version: '1.0.0',
  tools: [size],
  helpers: (session) => ({
    sizeOf: async (path: string) => (await session.tool('size', { path })).output,
  }),
});

test('helpers of a provider appear on the session, and only theirs', async () => {
  const session = await createHost({ providers: [provider] }).open({
    workspace: memoryWorkspace({ files: { a: 'abc' } }),
  });
  expect(await session.sizeOf('a')).toBe('3 3 4');
  // @ts-expect-error no provider offers this helper
  expect(session.weightOf).toBeUndefined();
  // @ts-expect-error a path is a text
  const helper: (path: number) => unknown = (session satisfies HelpersOf<[typeof provider]>).sizeOf;
  expect(helper).toBe(session.sizeOf);
  await session.close();
});

test('a wrong effect, capability, schema or result does not compile', () => {
  const base = { name: 'x', description: 'x', input } as const;
  const run = async () => ({ output: '' });
  // @ts-expect-error no such kind of effect
  defineTool({ ...base, effects: () => [{ kind: 'delete', target: 'a' }], run });
  // @ts-expect-error no such capability of a workspace
  defineTool({ ...base, requires: ['files.delete'], run });
  // @ts-expect-error no such field of a capability descriptor
  defineTool({ ...base, capabilities: () => ({ maxParallelism: 'many' }), run });
  // @ts-expect-error a result has an output
  defineTool({ ...base, run: async () => ({ text: '' }) });
  defineTool({
    ...base,
    output: {
      type: 'object',
      properties: { n: { type: 'number' } },
      required: ['n'],
      additionalProperties: false,
    },
    // @ts-expect-error the structured part must fit the output schema
    run: async () => ({ output: '', structured: { n: 'one' } }),
  });
  const typed = defineTool({
    ...base,
    input: z.strictObject({ path: z.string(), count: z.number().default(2) }),
    run: async ({ path, count }) => {
      const both: [string, number] = [path, count];
      return { output: both.join() };
    },
  });
  expect(typed.input['required']).toEqual(['path']);
});

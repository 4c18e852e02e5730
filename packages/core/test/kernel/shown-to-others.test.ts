import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type Effect,
  type DescribeContext,
  type HostOptions,
  type OpenOptions,
  type ToolOutput,
  type ToolResult,
} from '../../src/index.ts';

const input = { type: 'object', properties: {}, additionalProperties: false } as const;

/** A tool that writes `writes`, and says that it will write `a.txt`. */
function writer(writes: string, effects?: (context: DescribeContext) => readonly Effect[]) {
  return defineTool({
    name: 'write_it',
    description: 'Writes a file.',
    input,
    requires: ['files.write'],
    effects: (_input, context) => effects?.(context) ?? [{ kind: 'write', target: 'a.txt' }],
    run: async (_input, ctx) => {
      const transaction = await ctx.workspace.writer.begin();
      const content = new TextEncoder().encode('x');
      await transaction.stage({ kind: 'write', path: writes, content, expected: { kind: 'any' } });
      await transaction.promoteAll();
      return { output: 'written' };
    },
  });
}

function teller(output: ToolOutput) {
  return defineTool({
    name: 'tell',
    description: 'Tells.',
    input,
    effects: () => [],
    run: async () => output,
  });
}

type Tools = Parameters<typeof defineProvider>[0]['tools'];

function open(tools: Tools, options: Partial<HostOptions> & Partial<OpenOptions> = {}) {
  const { approver, ...host } = options;
  const providers = [defineProvider({ name: 'family', version: '1.0.0', tools })];
  return createHost({ ...host, providers }).open({
    workspace: memoryWorkspace(),
    ...(approver === undefined ? {} : { approver }),
  });
}

/** Each key that could be set on something that was shown, or on something within it. */
function changed(shown: unknown, path = ''): readonly string[] {
  if (typeof shown !== 'object' || shown === null) return [];
  const within = Object.entries(shown).flatMap(([key, value]) => changed(value, `${path}/${key}`));
  return Reflect.set(shown, 'added', 1) ? [...within, path] : within;
}

test('what an approver does to what it is shown does not widen the call', async () => {
  const session = await open([writer('b.txt')], {
    approver: async (approval) => {
      expect(changed(approval.effects)).toEqual([]);
      expect(changed(approval.grants)).toEqual([]);
      return { decision: 'approve' };
    },
  });
  const { error } = await session.invoke({ name: 'write_it' });
  expect(error).toMatchObject({ type: 'effect_violation', reason: 'undeclared' });
  await session.close();
});

test.each([false, true])('no hook can change a result (secrets to hide: %s)', async (hides) => {
  const secret = 'sk-topsecret-1';
  const seen: ToolResult[] = [];
  const altered: string[] = [];
  const session = await open(
    [
      teller({
        output: 'ok',
        structured: { list: [{ secret }] },
        content: [{ type: 'text', text: secret }],
        metadata: { own: { secret } },
      }),
    ],
    {
      secrets: hides ? [secret] : [],
      hooks: [
        {
          afterTool: async (_call, result) => {
            seen.push(result);
            altered.push(...changed(result));
          },
        },
      ],
    },
  );
  const result = await session.invoke({ name: 'tell' });
  expect(seen).toEqual([result]);
  expect(altered).toEqual([]);
  expect(JSON.stringify(result).includes(secret)).toBe(!hides);
  expect(result.metadata['a3s_tool_result_evidence']).toMatchObject({ projected_bytes: 2 });
  await session.close();
});

test('no tool can change what other tools are told before they run', async () => {
  const signals: unknown[] = [];
  const session = await open([
    writer('a.txt', (context) => {
      const shared: object = Object.getPrototypeOf(context);
      expect(Reflect.defineProperty(shared, 'signal', { value: 'forged' })).toBe(false);
      expect(Reflect.setPrototypeOf(shared, { signal: 'forged' })).toBe(false);
      signals.push(context.signal);
      return [];
    }),
  ]);
  await session.tool('write_it');
  await session.tool('write_it');
  expect(signals).toEqual([expect.any(AbortSignal), expect.any(AbortSignal)]);
  await session.close();
});

test('what a hook says of a secret that it took out is hidden from the model too', async () => {
  const session = await open([teller({ output: 'ok' })], {
    secrets: ['sk-topsecret-1'],
    hooks: [
      {
        beforeTool: async () => ({
          action: 'rewrite',
          arguments: {},
          reason: 'sk-topsecret-1 is no business of yours',
        }),
      },
    ],
  });
  const { output } = await session.invoke({ name: 'tell' });
  expect(output).toBe(
    '[the host changed the arguments of this call: [REDACTED] is no business of yours]\nok',
  );
  await session.close();
});

test('nothing tells listeners of a call that is only looked at', async () => {
  const session = await open([teller({ output: 'ok' })]);
  const events = session.events();
  await session.explain({ id: 'looked-at', name: 'tell' });
  await session.prepare({ id: 'looked-at', name: 'tell' });
  await session.invoke({ id: 'made', name: 'tell' });
  await session.close();
  const told = new Set<string>();
  for await (const event of events) told.add(event.invocation_id);
  expect([...told]).toEqual(['made']);
});

test('a call that is refused for its id leaves the changes to the call that has the id', async () => {
  let refused: ToolResult | undefined;
  const tool = writer('a.txt');
  const session = await open([
    {
      ...tool,
      run: async (args, context) => {
        const output = await tool.run(args, context);
        refused = await session.tool('write_it', {}, { id: 'same' });
        return output;
      },
    },
  ]);
  const result = await session.tool('write_it', {}, { id: 'same' });
  expect(refused).toMatchObject({ error: { reason: 'duplicate_id' } });
  expect(refused?.metadata).not.toHaveProperty('changed_paths');
  expect(result.metadata).toMatchObject({ changed_paths: ['a.txt'] });
  await session.close();
});

test('events hide secrets, and keep the ids by which they belong to a call', async () => {
  const secret = 'sk-topsecret-1';
  const session = await open([teller({ output: `it is ${secret}` })], { secrets: [secret] });
  const events = session.events();
  const id = `call-${secret}`;
  await session.invoke({ id, name: 'tell' });
  await session.close();
  const told: string[] = [];
  for await (const { invocation_id, parent_id, ...event } of events) {
    expect([invocation_id, parent_id]).toEqual([id, null]);
    expect(JSON.stringify(event)).not.toContain(secret);
    told.push(event.type);
  }
  expect(told).toEqual(['tool_start', 'tool_request_bound', 'tool_execution_start', 'tool_end']);
});

import { setTimeout as wait } from 'node:timers/promises';
import { defineTool, type JsonObject, type JsonValue, type Tool } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { echoTool, openSession } from './session-harness.ts';
import { smallTool } from './small-tools.ts';

const bad = smallTool('bad', async () => {
  throw new Error('broken');
});

/** Writes its name into `order` when it begins and when it ends, and touches `target`. */
function traced(name: string, order: string[], target?: string): Tool {
  return smallTool(
    name,
    async () => {
      order.push(`+${name}`);
      await wait(10);
      order.push(`-${name}`);
      return { output: name };
    },
    {
      capabilities: { readOnly: target === undefined, maxParallelism: 8 },
      effects: target === undefined ? [] : [{ kind: 'write', target }],
    },
  );
}

async function batch(
  tools: readonly Tool[],
  invocations: readonly JsonObject[],
  more: JsonObject = {},
) {
  const session = await openSession({ tools });
  const result = await session.tool('batch', { invocations, ...more });
  await session.close();
  return result;
}

test('answers stand in the order of the calls, each under its heading', async () => {
  const result = await batch(
    [echoTool(), bad],
    [
      { tool: 'echo', args: { text: 'one' }, id: 'first' },
      { tool: 'bad', args: {} },
      { tool: 'echo', args: { i: 3 }, step: 2 },
    ],
  );
  expect(result.output).toBe(`--- [1 / step 1: echo · first] ---
{"text":"one"}
--- [2 / step 1: bad] ---
ERROR: internal: bad failed unexpectedly: broken
--- [3 / step 2: echo] ---
{"i":3}

Not all calls succeeded: 1 failed (indices 1). Retry only these, the others are done.
`);
  expect(result).toMatchObject({ exit_code: 0, error: null });
  expect(result.metadata).toMatchObject({
    status: 'partial_failure',
    requested_concurrency: 8,
    applied_concurrency: 3,
    execution_mode: 'staged',
    steps: 2,
    highest_step: 2,
    total_count: 3,
    success_count: 2,
    failure_count: 1,
    failed_indices: [1],
    skipped_indices: [],
    binding_errors: [],
    results: [
      {
        index: 0,
        step: 1,
        id: 'first',
        tool: 'echo',
        success: true,
        exit_code: 0,
        output_bytes: 14,
        error_kind: null,
      },
      {
        index: 1,
        step: 1,
        id: null,
        tool: 'bad',
        success: false,
        exit_code: 1,
        error_kind: { type: 'internal' },
      },
      { index: 2, step: 2, id: null, tool: 'echo', success: true, exit_code: 0 },
    ],
  });
});

test('all failed is a partial_failure, with everything told', async () => {
  const result = await batch(
    [bad],
    [
      { tool: 'bad', args: {} },
      { tool: 'none', args: {} },
    ],
  );
  expect(result).toMatchObject({
    exit_code: 1,
    error: { type: 'partial_failure', failed: 2, total: 2 },
    metadata: { status: 'failed', success_count: 0, failed_indices: [0, 1] },
  });
  expect(result.output).toContain('--- [2 / step 1: none] ---\nERROR: unknown_tool');
});

describe('refused before anything runs', () => {
  const call = { tool: 'echo', args: {} };
  test.each<readonly [string, JsonValue, string]>([
    ['no calls', [], 'invalid_argument'],
    ['too many calls', Array.from({ length: 33 }, () => call), 'invalid_argument'],
    ['no list', 'echo', 'invalid_argument'],
    ['a step of 0', [{ ...call, step: 0 }], 'invalid_argument'],
    ['a step of 33', [{ ...call, step: 33 }], 'invalid_argument'],
    ['half a step', [{ ...call, step: 1.5 }], 'invalid_argument'],
    ['a blank id', [{ ...call, id: '  ' }], 'invalid_argument'],
    ['an id that begins with #', [{ ...call, id: '#a' }], 'invalid_argument'],
    [
      'two of one id',
      [
        { ...call, id: 'a' },
        { ...call, id: 'a' },
      ],
      'invalid_argument',
    ],
    ['an unknown key', [{ ...call, when: 1 }], 'invalid_argument'],
    ['a batch in a batch', [call, { tool: 'batch', args: { invocations: [call] } }], 'recursion'],
  ])('%s', async (_name, invocations, type) => {
    let ran = 0;
    const session = await openSession({
      tools: [
        smallTool('echo', async () => {
          ran += 1;
          return { output: '' };
        }),
      ],
    });
    const result = await session.tool('batch', { invocations });
    expect(result.error?.type).toBe(type);
    expect(ran).toBe(0);
    await session.close();
  });

  test('max_concurrency past 16 is lowered and told; 0 is refused', async () => {
    const lowered = await batch([echoTool()], [call], { max_concurrency: 99 });
    expect(lowered.metadata).toMatchObject({
      clamped: [{ path: '/max_concurrency', from: 99, to: 16 }],
      requested_concurrency: 99,
      applied_concurrency: 1,
      execution_mode: 'serial',
    });
    expect((await batch([echoTool()], [call], { max_concurrency: 0 })).error?.type).toBe(
      'invalid_argument',
    );
  });
});

describe('references', () => {
  const source = smallTool('source', async () => ({
    output: '{"list":[{"n":1},{"n":2}],"text":"line 1\\nline 2"}',
    structured: { deep: { value: 'structured' } },
    metadata: { kind: 'meta' },
  }));
  const lines = smallTool('lines', async () => ({ output: 'one\ntwo\n' }));

  test('every place that a reference can point at', async () => {
    const take = (reference: string) => ({ tool: 'echo', args: { text: { $ref: reference } } });
    const result = await batch(
      [source, lines, echoTool()],
      [
        { tool: 'source', args: {}, id: 's' },
        { tool: 'lines', args: {}, id: 'l' },
        { tool: 'echo', args: { i: { $ref: 's.output.list.1.n' } } },
        take('s.output.text'),
        take('s.structured.deep.value'),
        take('s.metadata.kind'),
        take('s.tool'),
        take('l.output_lines.1'),
        take('l.output'),
        { tool: 'echo', args: { i: { $ref: 's.exit_code' } } },
      ],
    );
    const texts = result.output.split(/^--- .* ---\n/m).slice(3);
    expect(texts.map((text) => Object.values(JSON.parse(text) as JsonObject)[0])).toEqual([
      2,
      'line 1\nline 2',
      'structured',
      'meta',
      'source',
      'two',
      'one\ntwo\n',
      0,
    ]);
    expect(result.metadata['execution_mode']).toBe('staged');
  });

  test.each([
    ['an unknown id', { $ref: 'x.output' }, /begins with the id of no item; the ids are s/],
    ['an unknown field', { $ref: 's.output.nope' }, /s\.output has no "nope"; it has list, text/],
    ['a list without that item', { $ref: 's.output.list.9' }, /is a list of 2/],
    ['other keys beside it', { $ref: 's.output', more: 1 }, /no other keys/],
    ['no string', { $ref: 1 }, /must be a string/],
    ['an empty part', { $ref: 's..output' }, /empty part/],
    ['something inherited', { $ref: 's.output.__proto__' }, /has no "__proto__"/],
    ['itself', { $ref: 'me.output' }, /lead back to it/],
    ['a later step', { $ref: 'late.output' }, /later step/],
  ])('a bad one fails its item alone: %s', async (_name, text, message) => {
    const result = await batch(
      [source, echoTool()],
      [
        { tool: 'source', args: {}, id: 's' },
        { tool: 'echo', args: { text }, id: 'me' },
        { tool: 'echo', args: {}, id: 'late', step: 2 },
      ],
    );
    expect(result.metadata).toMatchObject({
      status: 'partial_failure',
      failed_indices: [1],
      binding_errors: [{ id: 'me', index: 1, error: expect.stringMatching(message) as string }],
    });
  });

  test('a value that is too large is not brought in, a part of it is', async () => {
    const large = smallTool('large', async () => ({
      output: JSON.stringify({ all: 'x'.repeat(20_000), part: 'y' }),
    }));
    const result = await batch(
      [large, echoTool()],
      [
        { tool: 'large', args: {}, id: 'l' },
        { tool: 'echo', args: { text: { $ref: 'l.output' } } },
        { tool: 'echo', args: { text: { $ref: 'l.output.part' } } },
      ],
    );
    expect(result.metadata).toMatchObject({ failed_indices: [1], success_count: 2 });
    expect(result.output).toContain('{"text":"y"}');
  });

  test('what needs a failed call is skipped, and what needs that', async () => {
    const order: string[] = [];
    const result = await batch(
      [bad, echoTool(), traced('other', order)],
      [
        { tool: 'bad', args: {}, id: 'a' },
        { tool: 'echo', args: { text: { $ref: 'a.output' } }, id: 'b' },
        { tool: 'echo', args: { text: { $ref: 'b.output' } } },
        { tool: 'other', args: {} },
      ],
    );
    expect(result.metadata).toMatchObject({
      failed_indices: [0],
      skipped_indices: [1, 2],
      failure_count: 1,
      success_count: 1,
      results: [
        {},
        { skipped: true, because: 0 },
        { skipped: true, because: 1 },
        { success: true },
      ],
    });
    expect(result.output).toContain(
      'SKIPPED: it needs the result of item 1, which did not succeed.',
    );
  });
});

describe('order and conflicts', () => {
  test('calls run side by side; one that conflicts waits only for what it conflicts with', async () => {
    const order: string[] = [];
    await batch(
      [
        traced('first', order, 'a.txt'),
        traced('second', order, 'a.txt'),
        traced('third', order, 'b.txt'),
      ],
      [
        { tool: 'first', args: {} },
        { tool: 'second', args: {} },
        { tool: 'third', args: {} },
      ],
    );
    expect(order.indexOf('+second')).toBeGreaterThan(order.indexOf('-first'));
    expect(order.indexOf('+third')).toBeLessThan(order.indexOf('-first'));
  });

  test('a step waits for all before it, a reference only for its own', async () => {
    const order: string[] = [];
    const names = ['a', 'b', 'c', 'd'];
    await batch(
      names.map((name) => traced(name, order)),
      [
        { tool: 'a', args: {}, step: 1 },
        { tool: 'b', args: {}, step: 2 },
        { tool: 'c', args: {}, step: 2 },
        { tool: 'd', args: {}, step: 3 },
      ],
    );
    expect(order).toEqual(['+a', '-a', '+b', '+c', '-b', '-c', '+d', '-d']);
  });

  test('never more at once than asked', async () => {
    const order: string[] = [];
    await batch(
      ['a', 'b', 'c'].map((name) => traced(name, order)),
      ['a', 'b', 'c'].map((tool) => ({ tool, args: {} })),
      { max_concurrency: 1 },
    );
    expect(order).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
  });

  test('cancelling ends what runs and starts nothing more', async () => {
    let ran = 0;
    const slow = smallTool('slow', async ({ signal }) => {
      ran += 1;
      cancel.abort();
      await wait(10_000, undefined, { signal });
      return { output: '' };
    });
    const cancel = new AbortController();
    const session = await openSession({ tools: [slow] });
    const result = await session.tool(
      'batch',
      {
        invocations: Array.from({ length: 4 }, () => ({ tool: 'slow', args: {} })),
        max_concurrency: 1,
      },
      { signal: cancel.signal },
    );
    expect(result.error?.type).toBe('cancelled');
    expect(ran).toBe(1);
    await session.close();
  });
});

describe('bounds', () => {
  test('many long outputs share the room; short ones stand whole; the rest can be read', async () => {
    const long = smallTool('long', async () => ({ output: 'ü'.repeat(40_000) }));
    const session = await openSession({ tools: [long, echoTool()] });
    const invocations = [
      ...Array.from({ length: 8 }, () => ({ tool: 'long', args: {} })),
      { tool: 'echo', args: { text: 'short' } },
    ];
    const result = await session.tool('batch', { invocations });
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(102_400);
    expect(result.metadata['a3s_tool_result_evidence']).toMatchObject({ loss_mode: 'none' });
    expect(result.output).toContain('{"text":"short"}');
    const uri = /whole is at (\S+)\]/.exec(result.output)?.[1] ?? '';
    const info = await session.artifacts.stat(uri);
    expect(info.bytes).toBe(80_000);
    await session.close();
  });

  test('large metadata of children is reduced to what matters', async () => {
    const talkative = defineTool({
      name: 'talkative',
      description: 'Tells much.',
      input: { type: 'object', additionalProperties: false, properties: {} },
      effects: () => [],
      run: async () => ({
        output: 'x',
        metadata: { file_path: 'a.txt', status: 'complete', noise: 'n'.repeat(9_000) },
      }),
    });
    const result = await batch(
      [talkative],
      Array.from({ length: 32 }, () => ({ tool: 'talkative', args: {} })),
    );
    const { results } = result.metadata;
    expect(results).toHaveLength(32);
    expect(results).toMatchObject(
      Array.from({ length: 32 }, () => ({
        metadata: { truncated: true, file_path: 'a.txt', status: 'complete' },
      })),
    );
  });

  test('text from outside makes the whole untrusted', async () => {
    const outside = smallTool('outside', async () => ({ output: 'x', trust: 'external' as const }));
    expect((await batch([outside, echoTool()], [{ tool: 'echo', args: {} }])).trust).toBe(
      'workspace_data',
    );
    expect(
      (
        await batch(
          [outside, echoTool()],
          [
            { tool: 'echo', args: {} },
            { tool: 'outside', args: {} },
          ],
        )
      ).trust,
    ).toBe('external');
  });
});

import { defineTool, memoryWorkspace, type JsonValue, type ToolResult } from '@toolwright/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { echoTool, openSession, script } from './session-harness.ts';

type Opened = Awaited<ReturnType<typeof openSession>>;

const failTool = defineTool({
  name: 'fail',
  description: 'Fails.',
  input: { type: 'object', additionalProperties: false, properties: {} },
  capabilities: { readOnly: true },
  effects: () => [],
  run: async () => {
    throw new Error('broken');
  },
});

const files = {
  'scripts/one.mjs': 'export default async function run(ctx, inputs) { return inputs.n + 1 }',
  'scripts/two.ts':
    'type In = { n: number };\nexport default async function run(ctx: unknown, inputs: In): Promise<number> { return inputs.n + 2 }',
  'scripts/three.txt': 'export default () => 3',
  'scripts/four.js': Uint8Array.of(0xff, 0xfe, 0x00),
  'scripts/large.js': `// ${'x'.repeat(200_000)}`,
};

let session: Opened;
beforeAll(async () => {
  session = await openSession({
    tools: [echoTool(), failTool],
    open: { workspace: memoryWorkspace({ files }) },
  });
});
afterAll(() => session.close());

const run = (source: string, args: Record<string, JsonValue> = {}): Promise<ToolResult> =>
  session.tool('program', { type: 'script', source, ...args });

describe('where a script comes from', () => {
  test('source', async () => {
    expect(await run(script('return inputs.n'), { inputs: { n: 4 } })).toMatchObject({
      output: 'Program completed.\nTool calls: 0\nResult:\n4',
      exit_code: 0,
      structured: 4,
      error: null,
      metadata: {
        program: {
          name: 'script',
          language: 'javascript',
          success: true,
          outcome: 'success',
          tool_calls: [],
        },
        script_result: 4,
      },
    });
  });

  test.each([
    ['scripts/one.mjs', 2],
    ['scripts/two.ts', 3],
  ])('the file %s', async (path, value) => {
    const result = await session.program({ path, inputs: { n: 1 } });
    expect(result).toMatchObject({ structured: value, error: null });
  });

  test.each([
    [
      'both',
      { source: 'export default () => 1', path: 'scripts/one.mjs' },
      { type: 'invalid_argument' },
    ],
    ['neither', {}, { type: 'invalid_argument' }],
    ['another extension', { path: 'scripts/three.txt' }, { type: 'invalid_argument' }],
    ['a file that is not there', { path: 'scripts/none.js' }, { type: 'not_found' }],
    [
      'a file outside',
      { path: '../x.js' },
      { type: 'permission_denied', reason: 'outside_workspace' },
    ],
    ['no text', { path: 'scripts/four.js' }, { type: 'invalid_argument' }],
    [
      'a file too large',
      { path: 'scripts/large.js' },
      { type: 'limit_exceeded', reason: 'source_too_large' },
    ],
    [
      'a source too large',
      { source: `// ${'x'.repeat(200_000)}` },
      { type: 'limit_exceeded', reason: 'source_too_large' },
    ],
  ])('%s is refused', async (_name, args, expected) => {
    const { error } = await session.tool('program', { type: 'script', ...args });
    expect(error).toMatchObject(expected);
  });

  test('an entry without export, or an arrow as the default', async () => {
    expect((await run('async function run(ctx, inputs) { return 1 }')).structured).toBe(1);
    expect((await run('function run() { return 2 }')).structured).toBe(2);
    expect((await run('export default async () => 3')).structured).toBe(3);
    expect((await run('const run = () => 4')).structured).toBe(4);
  });

  test('a run that returns nothing is a success', async () => {
    expect(await run(script(''))).toMatchObject({ structured: null, error: null });
  });

  test('words that a text filter would refuse', async () => {
    const body =
      'const s = "import x from \'y\'; eval(1); fetch(\'u\'); new Worker(); WebSocket"; // import("z")\nreturn s';
    expect((await run(script(body))).structured).toBe(
      "import x from 'y'; eval(1); fetch('u'); new Worker(); WebSocket",
    );
  });
});

describe('failures of a script', () => {
  test.each([
    [
      'an exception',
      'export default async function run() {\n  const x = null;\n  return x.y;\n}',
      { reason: 'uncaught', line: 3 },
    ],
    [
      'a syntax error',
      'export default async function run() {\n  return );\n}',
      { reason: 'syntax', line: 2 },
    ],
    [
      'an import',
      'const a = 1;\n\nimport fs from "node:fs";\nexport default () => fs',
      { reason: 'import', line: 3 },
    ],
    [
      'a re-export',
      'const a = 1;\nexport * from "./x.js";\nexport default () => a',
      { reason: 'import', line: 2 },
    ],
    [
      'a dynamic import',
      'export default async () => {\n  await 0;\n  return import("fs");\n}',
      { reason: 'import', line: 3 },
    ],
    ['no entry', 'const a = 1;', { reason: 'no_entry', line: null }],
    [
      'a top-level exception',
      'const a = 1;\nthrow new Error("top");',
      { reason: 'uncaught', line: 2 },
    ],
    [
      'an exception in a helper',
      'function f() {\n  throw new TypeError("deep");\n}\nexport default async () => f();',
      { reason: 'uncaught', line: 2 },
    ],
    [
      'a promise that nothing settles',
      script('await new Promise(() => {})'),
      { reason: 'deadlock', line: null },
    ],
    [
      'a cycle returned',
      script('const a = {}; a.a = a; return a'),
      { reason: 'result', line: null },
    ],
  ])('%s', async (_name, source, expected) => {
    const result = await run(source);
    expect(result).toMatchObject({
      exit_code: 1,
      error: { ...expected, type: 'script_error', stage: 'run', retryable: false },
      metadata: { program: { success: false, outcome: 'script_error' } },
    });
  });

  test('TypeScript that cannot be erased, with its line', async () => {
    const result = await run('const a: number = 1;\nenum E { A }\nexport default () => a', {
      language: 'typescript',
    });
    expect(result.error).toMatchObject({ type: 'script_error', reason: 'syntax', line: 2 });
  });

  test('a line of a TypeScript program is the line that was written', async () => {
    const source =
      'interface A {\n  x: number;\n}\nexport default async (ctx: A): Promise<void> => {\n  throw new Error("x");\n}';
    expect((await run(source, { language: 'typescript' })).error).toMatchObject({ line: 5 });
  });

  test.each([
    [
      'memory',
      'const a = []; for (;;) a.push(new ArrayBuffer(1 << 22))',
      { type: 'limit_exceeded', reason: 'out_of_memory' },
    ],
    ['stack', 'const f = () => f() + 1; f()', { type: 'limit_exceeded', reason: 'stack_overflow' }],
    ['result', 'return "x".repeat(2e6)', { type: 'limit_exceeded', reason: 'result_too_large' }],
    [
      'depth of the result',
      'let a = []; for (let i = 0; i < 300; i++) a = [a]; return a',
      { type: 'script_error', reason: 'result' },
    ],
  ])('too much %s', async (_name, body, expected) => {
    expect((await run(script(body))).error).toMatchObject(expected);
  });

  test('records and lines stand in every outcome', async () => {
    const before =
      'console.log("step1"); await ctx.tools.echo({ i: 1 }); await ctx.tools.fail({}); console.warn("step2");';
    const endings: readonly (readonly [string, string, Record<string, JsonValue>])[] = [
      ['throw new Error("x")', 'script_error', {}],
      ['for (;;) {}', 'timeout', { limits: { timeoutMs: 150 } }],
      ['const a = []; for (;;) a.push(new ArrayBuffer(1 << 22))', 'out_of_memory', {}],
      ['const f = () => f() + 1; f()', 'stack_overflow', {}],
      ['return "x".repeat(2e6)', 'result_too_large', {}],
      ['return 1', 'success', {}],
    ];
    for (const [ending, outcome, args] of endings) {
      const result = await run(script(`${before} ${ending}`), args);
      expect(result.metadata['program']).toMatchObject({
        outcome,
        tool_calls: [
          { tool_name: 'echo', success: true, exit_code: 0, output_bytes: 7, error: null },
          { tool_name: 'fail', success: false, exit_code: 1, error: { type: 'internal' } },
        ],
        logs: [
          { level: 'log', text: 'step1' },
          { level: 'warn', text: 'step2' },
        ],
      });
      expect(result.output).toContain('- echo ok exit_code=0 output_bytes=7\n- fail failed');
      expect(result.output).toContain('Log:\nstep1\n[warn] step2');
    }
  });
});

describe('limits', () => {
  test.each([
    [{ timeoutMs: 'soon' }],
    [{ timeoutMs: 0 }],
    [{ maxToolCalls: -1 }],
    [{ maxOutputBytes: 1.5 }],
    [{ memory: 1 }],
    ['none'],
  ])('%j is refused', async (limits) => {
    const { error } = await run(script('return 1'), { limits: limits as JsonValue });
    expect(error?.type).toBe('invalid_argument');
  });

  test('past the ceiling they are lowered and that is told', async () => {
    const result = await run(script('return 1'), {
      limits: { timeoutMs: 10_000_000, maxToolCalls: 5_000, maxOutputBytes: 1_000_000 },
    });
    expect(result.error).toBeNull();
    expect(result.metadata['clamped']).toEqual([
      { path: '/limits/timeoutMs', from: 10_000_000, to: 600_000 },
      { path: '/limits/maxToolCalls', from: 5_000, to: 1_000 },
      { path: '/limits/maxOutputBytes', from: 1_000_000, to: 98_304 },
    ]);
  });

  test('maxOutputBytes bounds each record and the answer', async () => {
    const result = await run(
      script(
        'const r = await ctx.tools.echo({ text: "ü".repeat(3000) }); console.log(r.output); return [r.truncated, r.outputBytes, r.output.length]',
      ),
      { limits: { maxOutputBytes: 2_000 } },
    );
    expect(result.structured).toEqual([true, 6_011, 1_004]);
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(2_000);
  });

  test.each([1, 16, 17, 40, 1_000])(
    '%i bytes of output are no more, whatever has to be told',
    async (max) => {
      const limits = { maxOutputBytes: max };
      const ended = await run(script('console.log("ü"); return "ü".repeat(1000)'), { limits });
      expect(Buffer.byteLength(ended.output)).toBeLessThanOrEqual(max);
      const lines = 'for (let i = 0; i < 99; i++) console.log("ü".repeat(50));';
      const failed = await run(script(`${lines} throw new Error("ü")`), { limits });
      // What failed is always said.
      const first = 'script_error: ü (line 2)\n';
      expect(failed.output.startsWith(first.trimEnd())).toBe(true);
      expect(Buffer.byteLength(failed.output)).toBeLessThanOrEqual(
        Math.max(max, Buffer.byteLength(first)),
      );
      expect(ended.output + failed.output).not.toContain('\ufffd');
    },
  );
});

describe('what a script may call', () => {
  const records =
    'const all = [await ctx.tools.echo({}), await ctx.tools.fail({})]; return all.map((r) => r.error?.reason ?? r.error?.type ?? "ok")';

  test('without a list, all; with one, those', async () => {
    expect((await run(script(records))).structured).toEqual(['ok', 'internal']);
    expect((await run(script(records), { allowed_tools: ['fail'] })).structured).toEqual([
      'not_allowed',
      'internal',
    ]);
    expect((await run(script(records), { allowed_tools: [] })).structured).toEqual([
      'not_allowed',
      'not_allowed',
    ]);
  });

  test('never what runs other tools', async () => {
    const body =
      'const r = [await ctx.tools.program({ type: "script", source: "1" }), await ctx.tools.batch({ invocations: [] })]; return r.map((x) => x.error.type)';
    expect((await run(script(body))).structured).toEqual(['recursion', 'recursion']);
    expect((await run(script(body), { allowed_tools: ['program', 'batch'] })).structured).toEqual([
      'recursion',
      'recursion',
    ]);
  });

  test('an unknown name is a record with the nearest', async () => {
    const { structured } = await run(script('return (await ctx.tools.ecoh({})).error'));
    expect(structured).toMatchObject({ type: 'unknown_tool', nearest: ['echo'] });
  });

  test('wrong arguments are a record', async () => {
    const { structured } = await run(script('return (await ctx.tools.echo({ x: 1 })).error'));
    expect(structured).toMatchObject({ type: 'invalid_argument' });
  });

  test('arguments may be their JSON text; what is no object is a record that says so', async () => {
    const body =
      'const r = await Promise.all([ctx.tool("echo", \'{"text":"a"}\'), ctx.tool("echo", "a"), ctx.tool("echo", [1]), ctx.tool("echo", 5)]); return r.map((x) => x.error?.message ?? x.output)';
    const refused = 'The arguments of echo must be an object, such as ctx.tool("echo", { … }).';
    const { structured } = await run(script(body));
    expect(structured).toEqual([expect.stringContaining('"text":"a"'), refused, refused, refused]);
  });

  test('a failure is thrown where the script says so, with the line of the call', async () => {
    const caught =
      'try { await ctx.tools.fail({}, { throwOnError: true }) } catch (e) { return [e.name, e.type, e instanceof ToolError, e.record.ok] }';
    expect((await run(script(caught))).structured).toEqual(['ToolError', 'internal', true, false]);
    const uncaught = await run(script('\n\nawait ctx.tool("fail", {}, { throwOnError: true })'));
    expect(uncaught.error).toMatchObject({
      type: 'script_error',
      reason: 'uncaught',
      name: 'ToolError',
      line: 4,
    });
  });
});

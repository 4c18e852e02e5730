import { defineTool, type JsonObject, type Tool } from '@toolwright/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSession, script } from './session-harness.ts';

/** A stand-in for a tool of another family: takes anything and answers what `answer` makes of it. */
function standIn(
  name: string,
  answer: (args: JsonObject) => {
    output?: string;
    structured?: JsonObject;
    metadata?: JsonObject;
  } = () => ({}),
): Tool {
  return defineTool({
    name,
    description: `Stands in for ${name}.`,
    input: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        [
          'file_path',
          'offset',
          'limit',
          'cursor',
          'max_output_bytes',
          'mode',
          'query',
          'include',
          'case_sensitive',
          'context',
          'path',
          'depth',
          'command',
          'cwd',
          'url',
          'format',
        ].map((key) => [key, { description: key }]),
      ),
    },
    effects: () => [],
    run: async (input) => {
      // Arguments are JSON.
      const args = input as JsonObject;
      return { output: JSON.stringify(args), ...answer(args) };
    },
  });
}

const names = ['read', 'search', 'ls', 'bash', 'git', 'web_search', 'web_fetch'];

describe('what each method asks for', () => {
  let session: Awaited<ReturnType<typeof openSession>>;
  beforeAll(async () => {
    session = await openSession({ tools: names.map((name) => standIn(name)) });
  });
  afterAll(() => session.close());

  test.each([
    ['ctx.read("a.ts")', 'read', { file_path: 'a.ts' }],
    ['ctx.read({ file_path: "a.ts", limit: 2 })', 'read', { file_path: 'a.ts', limit: 2 }],
    ['ctx.ls({ depth: 2 })', 'ls', { depth: 2 }],
    ['ctx.verify({ command: "make" })', 'bash', { command: 'make' }],
    ['ctx.bash({ command: "make" }, { cwd: "a" })', 'bash', { command: 'make', cwd: 'a' }],
    [
      'ctx.grep({ query: "x", glob: "*.ts" })',
      'search',
      { mode: 'grep', query: 'x', include: '*.ts' },
    ],
    [
      'ctx.read("a.ts", { offset: 2, limit: 3, throwOnError: true })',
      'read',
      { file_path: 'a.ts', offset: 2, limit: 3 },
    ],
    ['ctx.grep("x")', 'search', { mode: 'grep', query: 'x' }],
    [
      'ctx.grep("x", { glob: "*.rs", "-i": true, context: 2 })',
      'search',
      { mode: 'grep', query: 'x', include: '*.rs', case_sensitive: false, context: 2 },
    ],
    [
      'ctx.grep("x", { include: "*.ts", "-i": false })',
      'search',
      { mode: 'grep', query: 'x', include: '*.ts', case_sensitive: true },
    ],
    ['ctx.bm25("x", { limit: 3 })', 'search', { mode: 'bm25', query: 'x', limit: 3 }],
    ['ctx.search("x")', 'search', { mode: 'grep', query: 'x' }],
    ['ctx.search("x", { mode: "hybrid" })', 'search', { mode: 'hybrid', query: 'x' }],
    ['ctx.ls()', 'ls', { path: '.' }],
    ['ctx.ls("src", { depth: 2 })', 'ls', { path: 'src', depth: 2 }],
    ['ctx.bash("make", { cwd: "a" })', 'bash', { command: 'make', cwd: 'a' }],
    ['ctx.verify("make test")', 'bash', { command: 'make test' }],
    ['ctx.git("log", { limit: 5 })', 'git', { command: 'log', limit: 5 }],
    ['ctx.git({ command: "diff", path: "a" })', 'git', { command: 'diff', path: 'a' }],
    ['ctx.webSearch("x", { limit: 2 })', 'web_search', { query: 'x', limit: 2 }],
    ['ctx.webSearch({ query: "x" })', 'web_search', { query: 'x' }],
    [
      'ctx.webFetch("https://a.test", { format: "text" })',
      'web_fetch',
      { url: 'https://a.test', format: 'text' },
    ],
    ['ctx.tool("grep", { query: "x" })', 'search', { mode: 'grep', query: 'x' }],
    ['ctx.tools.glob({ query: "*" })', 'search', { mode: 'glob', query: '*' }],
  ])('%s', async (call, tool, args) => {
    const { structured } = await session.program({
      source: script(`const r = await ${call}; return [r.name, JSON.parse(r.output)]`),
    });
    expect(structured).toEqual([tool, args]);
  });
});

describe('arrays and texts', () => {
  test('readFile puts the windows of a long file together, with its line endings', async () => {
    const lines = ['one', 'two\r', 'three', 'four'];
    const read = standIn('read', ({ cursor = 0 }) => {
      const index = Number(cursor);
      const isLast = index === lines.length - 1;
      return {
        output: `${String(index + 1).padStart(6)}\t${lines[index]?.replace('\r', '')}\n${isLast ? '' : '[more lines follow]\n'}`,
        metadata: {
          final_newline: false,
          eol: 'mixed',
          range: {
            next_cursor: isLast ? null : String(index + 1),
            eof: isLast,
            crlf_lines: index === 1 ? [2] : [],
            cut_lines: [],
          },
        },
      };
    });
    const session = await openSession({ tools: [read] });
    const result = await session.program({ source: script('return await ctx.readFile("a.txt")') });
    expect(result.structured).toBe('one\ntwo\r\nthree\nfour');
    expect(result.metadata['program']).toMatchObject({
      tool_calls: Array.from({ length: 4 }, () => ({ tool_name: 'read' })),
    });
    const part = await session.program({
      source: script('return await ctx.readFile("a.txt", { limit: 1 })'),
    });
    expect(part.structured).toBe('one\n');
    await session.close();
  });

  test('readFile and glob throw what failed, with the line of the script', async () => {
    const session = await openSession({ tools: [] });
    for (const call of ['readFile("none")', 'glob("*")']) {
      const { error } = await session.program({ source: script(`\nawait ctx.${call}`) });
      expect(error).toMatchObject({ type: 'script_error', name: 'ToolError', line: 3 });
    }
    await session.close();
  });

  test('glob gives all paths as an array, in smaller pages where one was cut', async () => {
    const paths = Array.from({ length: 1_500 }, (_, i) => `src/${'long/'.repeat(10)}file-${i}.ts`);
    const search = standIn('search', ({ cursor = '0', limit = 100 }) => {
      const from = Number(cursor);
      const shown = paths.slice(from, from + Number(limit));
      const end = from + shown.length;
      const isLast = end === paths.length;
      return {
        output: `${shown.join('\n')}\n${isLast ? '' : `[files ${from + 1}-${end}; more follow]\n`}`,
        metadata: {
          page: { returned_items: shown.length, next_cursor: isLast ? null : String(end) },
        },
      };
    });
    const session = await openSession({ tools: [search] });
    const result = await session.program({
      source: script(
        'const all = await ctx.glob("**"); return [all.length, all[0], all[1499], Array.isArray(all)]',
      ),
      limits: { maxOutputBytes: 20_000 },
    });
    expect(result.structured).toEqual([1_500, paths[0], paths[1_499], true]);
    await session.close();
  });

  test('grep has its matches as data, by the tool or by its rows', async () => {
    const source = script('return (await ctx.grep("x")).matches');
    const rows = await openSession({
      tools: [
        standIn('search', () => ({
          output:
            'src/a.ts:3: let x\nsrc/a.ts-4- y\n--\nb: c.ts:10: x: 1\n[2 matching lines in 2 files]\n',
        })),
      ],
    });
    expect((await rows.program({ source })).structured).toEqual([
      { path: 'src/a.ts', line: 3, text: 'let x' },
      { path: 'b: c.ts', line: 10, text: 'x: 1' },
    ]);
    await rows.close();
    const matches = [{ path: 'a\nb.ts', line: 1, text: 'x' }];
    const data = await openSession({
      tools: [standIn('search', () => ({ structured: { matches } }))],
    });
    expect((await data.program({ source })).structured).toEqual(matches);
    await data.close();
  });

  test('ls has its entries as data', async () => {
    const entries = [{ path: 'a', kind: 'file' }];
    const session = await openSession({
      tools: [standIn('ls', () => ({ metadata: { entries } }))],
    });
    expect(
      (await session.program({ source: script('return (await ctx.ls()).entries') })).structured,
    ).toEqual(entries);
    await session.close();
  });
});

describe('the catalogue inside a script', () => {
  const tools = [
    ...Array.from({ length: 40 }, (_, i) =>
      defineTool({
        name: `makeInvoice${i}`,
        description: `Makes an invoice of kind ${i}. ${'Much more is said of it. '.repeat(30)}`,
        input: {
          type: 'object',
          additionalProperties: false,
          required: ['customer'],
          properties: { customer: { type: 'string', description: 'Who pays.' } },
        },
        effects: () => [],
        run: async () => ({ output: '' }),
      }),
    ),
    standIn('search'),
  ];

  test('search is ranked, limited and bounded; describe is whole', async () => {
    const session = await openSession({ tools });
    const run = async (body: string, args: object = {}) =>
      (await session.program({ source: script(body), ...args })).structured;
    expect(await run('return (await ctx.catalog.search("invoice", { limit: 3 })).length')).toBe(3);
    expect(
      await run(
        'return JSON.stringify(await ctx.catalog.search("invoice", { limit: 500 })).length < 9000',
      ),
    ).toBe(true);
    expect(await run('return (await ctx.catalog.search("make invoice 7"))[0].name')).toMatch(
      /^makeInvoice\d+$/,
    );
    expect(await run('return await ctx.catalog.search("zebra")')).toEqual([]);
    expect(await run('return await ctx.catalog.describe("none")')).toBeNull();
    expect(await run('return await ctx.catalog.describe("makeInvoice7")')).toMatchObject({
      name: 'makeInvoice7',
      signature:
        'makeInvoice7(args: { customer: string }, options?: CallOptions): Promise<CallRecord>',
      parameters: { required: ['customer'] },
      untrusted: false,
    });
    expect(
      await run('return (await ctx.catalog.search("invoice")).length', {
        allowedTools: ['search'],
      }),
    ).toBe(0);
    await session.close();
  });

  test('looking is no call of a tool, but has a limit', async () => {
    const session = await openSession({ tools });
    const result = await session.program({
      source: script(
        'let n = 0; try { for (;;) { await ctx.catalog.describe("search"); n++ } } catch (e) { return [n, e.name] }',
      ),
      limits: { maxToolCalls: 1 },
    });
    expect(result.structured).toEqual([100, 'RangeError']);
    expect(result.metadata['program']).toMatchObject({ tool_calls: [] });
    await session.close();
  });
});

import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { McpServerConfig } from '../../src/index.ts';
import { openServers, until } from './fixtures/open.ts';
import { okLine as ok, rawServer } from './fixtures/raw-server.ts';

const raw = (listed?: string): McpServerConfig => rawServer(listed).config;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Makes one call, and a plain one behind it, which must work whatever the first one brought. */
async function answered(lines: readonly string[]) {
  const { session, mcp } = await openServers({ s: raw() });
  const result = await session.tool('mcp__s__raw', { lines });
  const after = await session.tool('mcp__s__raw', { lines: [ok] });
  expect([after.output, mcp.status(session.id)[0]?.state]).toEqual(['ok', 'ready']);
  return result;
}

test.each([
  ['a null', '"error":null'],
  ['a text in place of an error', '"error":"no"'],
  ['an error without code and words', '"error":{}'],
  ['neither a result nor an error', '"other":1'],
  ['a result of null', '"result":null'],
  ['a result of text', '"result":"done"'],
  ['a list as result', '"result":[]'],
  ['a result that is nested without end', `"result":{"structuredContent":{"a":${nested(50_000)}}}`],
  ['content that is nested without end', `"result":{"content":[{"type":"x","a":${nested(300)}}]}`],
  ['metadata that is nested without end', `"result":{"content":[],"_meta":{"a":${nested(9_000)}}}`],
])(
  'an answer that is none is a protocol error at once, and never a success: %s',
  async (_, answer) => {
    const { error, exit_code } = await answered([`{"jsonrpc":"2.0","id":$ID,${answer}}`]);
    expect([exit_code, error]).toEqual([
      1,
      {
        type: 'transport',
        reason: 'protocol',
        stage: 'run',
        message: 'The MCP server s answered with what is no result of a call.',
        detail: expect.any(String),
        retryable: false,
      },
    ]);
  },
);

test.each([
  ['a number as method', ['{"jsonrpc":"2.0","method":5}']],
  [
    'ids of wrong types',
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"2.0","id":[1],"result":{}}'],
  ],
  [
    'params of wrong types',
    [
      '{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":5}',
      '{"jsonrpc":"2.0","id":9,"method":"ping","params":null}',
    ],
  ],
  [
    'notifications without params',
    ['progress', 'message', 'cancelled', 'tools/list_changed'].map(
      (name) => `{"jsonrpc":"2.0","method":"notifications/${name}"}`,
    ),
  ],
  [
    'a log message that is nested without end',
    [
      `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":${nested(50_000)}}}`,
    ],
  ],
  [
    'a question that is nested without end',
    [
      `{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"message":"x","requestedSchema":${nested(50_000)}}}`,
    ],
  ],
  ['an answer that comes too often', [ok, ok]],
  [
    'an answer to nobody',
    ['{"jsonrpc":"2.0","id":77,"result":{}}', '{"jsonrpc":"2.0","id":"nobody","error":null}'],
  ],
  [
    'another version',
    ['{"jsonrpc":"1.0","id":$ID,"result":{"content":[{"type":"text","text":"old"}]}}'],
  ],
  [
    'half a line and garbage',
    ['{"jsonrpc":"2.0","id":$ID,"res', '\u0000\u0001', 'null', '[]', '"x"'],
  ],
  [
    'names of prototypes',
    ['{"jsonrpc":"2.0","id":3,"method":"__proto__"}', '{"__proto__":{"jsonrpc":"2.0"}}'],
  ],
])('what is no message for the call costs it nothing: %s', async (_, lines) => {
  const { output, error } = await answered([...lines, ok]);
  expect([output, error]).toEqual(['ok', null]);
});

test('bytes that are no UTF-8, and NUL, are text like any other', async () => {
  const { session } = await openServers({ s: raw() });
  const head = Buffer.from(
    '{"jsonrpc":"2.0","id":1000000000,"result":{"content":[{"type":"text","text":"a',
  );
  const tail = Buffer.from('\\u0000b"}]}}\n');
  const bytes = [Buffer.concat([head, Buffer.from([0xff, 0xfe, 0xc3]), tail]).toString('hex')];
  const { output, error } = await session.tool('mcp__s__raw', { bytes });
  expect([output, error]).toEqual(['a\ufffd\ufffd\ufffd\u0000b', null]);
});

test('an answer under the id as text is nobody’s: the call ends by its time', async () => {
  const { error } = await answered(['{"jsonrpc":"2.0","id":"$ID","result":{"content":[]}}']);
  expect([error?.type, error?.reason]).toEqual(['timeout', 'silent']);
});

test('progress that is no number, or none that can be counted, is left out', async () => {
  const { session } = await openServers({ s: raw() });
  const ticks: unknown[] = [];
  const events = session.events();
  void (async () => {
    for await (const event of events)
      if (event.type === 'tool_progress') ticks.push([event.current, event.total]);
  })();
  const tick = (rest: string): string =>
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$TOKEN,${rest}}}`;
  const lines = [
    '"progress":1e999',
    '"progress":"2"',
    '"progress":2,"total":1e999',
    '"progress":3',
  ];
  await session.tool('mcp__s__raw', { lines: [...lines.map(tick), ok, tick('"progress":4')] });
  await session.tool('mcp__s__raw', { lines: [ok] });
  await until(() => ticks.length >= 2);
  expect(ticks).toEqual([
    [2, undefined],
    [3, undefined],
  ]);
});

test('a server that does not read for a while gets all calls then, and nobody is warned of listeners', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { session } = await openServers({ s: { ...raw(), timeoutMs: 20_000 } });
  const first = session.tool('mcp__s__raw', { lines: [ok], deafMs: 200 });
  const text = 'x'.repeat(100_000);
  const others = Array.from({ length: 30 }, () =>
    session.tool('mcp__s__raw', { lines: [ok], text }),
  );
  const outputs = (await Promise.all([first, ...others])).map(({ output }) => output);
  expect(outputs).toEqual(outputs.map(() => 'ok'));
  expect(warnings).toEqual([]);
});

test.each([
  [
    'ends in the middle of an answer',
    { bytes: [Buffer.from('{"jsonrpc"').toString('hex')], exit: 0 },
    'exit code 0',
  ],
  ['closes its output and lives on', { mute: true }, 'it closed its standard output'],
])('a server that %s has gone, and is started again', async (_, args, said) => {
  const { session, mcp } = await openServers({ s: { ...raw(), timeoutMs: 30_000 } });
  const { error } = await session.tool('mcp__s__raw', args);
  expect([error?.type, error?.reason]).toEqual(['transport', 'uncertain_outcome']);
  expect(error?.message).toContain(said);
  expect((await session.tool('mcp__s__raw', { lines: [ok] })).output).toBe('ok');
  expect(mcp.status(session.id)[0]?.state).toBe('ready');
});

test('a server that asks without end is declined after a bound', async () => {
  let questions = 0;
  const { session } = await openServers(
    { s: raw() },
    {
      open: {
        asker: async () => {
          questions += 1;
          return { answered: true, answer: 'accept' };
        },
      },
    },
  );
  const ask = (id: number): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"elicitation/create","params":{"message":"again?","requestedSchema":{"type":"object","properties":{}}}}`;
  const many = Array.from({ length: 40 }, (_, index) => ask(index));
  const call = session.tool('mcp__s__raw', { lines: many });
  await until(() => questions >= 16);
  expect((await call).error?.reason).toBe('silent');
  expect(questions).toBe(16);
});

test('fuzz: whatever lines a server answers with, its calls settle and the process lives', async () => {
  const { session } = await openServers({ s: raw() });
  const id = fc.constantFrom('$ID', '"$ID"', '0', '1', '"x"', 'null', '{}');
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));
  const member = fc.oneof(
    fc.tuple(fc.constantFrom('result', 'error', 'params', 'method'), json),
    fc.constantFrom(
      ...['ping', 'notifications/message', 'notifications/progress', 'sampling/createMessage'].map(
        (method) => ['method', JSON.stringify(method)] as const,
      ),
    ),
  );
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .tuple(id, fc.array(member, { maxLength: 4 }))
      .map(([own, members]) =>
        ['{"jsonrpc":"2.0"', `"id":${own}`, ...members.map(([name, value]) => `"${name}":${value}`)]
          .join(',')
          .concat('}'),
      ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
      const clean = lines.map((each) => each.replaceAll(/[\r\n]/g, ' '));
      const result = await session.tool('mcp__s__raw', { lines: [...clean, ok] });
      const outcome = result.error?.reason ?? (result.exit_code === 0 ? 'answered' : 'is_error');
      expect(['answered', 'is_error', 'protocol']).toContain(outcome);
    }),
    { numRuns: process.env['TOOLWRIGHT_LONG'] === '1' ? 3_000 : 150 },
  );
});

test('tools that cannot be read cost themselves: nested without end, without a name, with an endless one', async () => {
  const schema = { type: 'object' };
  const deep = `{"name":"deep","inputSchema":{"type":"object","properties":{"a":${'{"items":'.repeat(5_000)}{}${'}'.repeat(5_000)}}}}`;
  const others = [
    { name: 'good', inputSchema: schema },
    { name: '', inputSchema: schema },
    { name: 'n'.repeat(5_000), inputSchema: schema },
    { name: '__proto__', inputSchema: schema },
    { name: 'constructor', inputSchema: schema },
  ];
  const items = [deep, ...others.map((each) => JSON.stringify(each))].join(',');
  const { session, mcp } = await openServers({ s: raw(`{"tools":[${items}]}`) });
  expect(session.toolNames()).toEqual([
    'mcp__s__constructor',
    'mcp__s__good',
    'mcp__s__proto_37d76265',
  ]);
  const reasons = mcp.status(session.id)[0]?.dropped.map(({ reason }) => reason);
  expect(reasons).toEqual([
    'server s describes it wrongly: it is nested more than 100 levels deep',
    'server s describes it wrongly: its name is empty',
    'server s describes it wrongly: its name has 5000 characters, more than 1000',
  ]);
});

test('of tools with one name the first counts, and that is told; equal ones are no news', async () => {
  const tool = (name: string, description: string): object => ({
    name,
    description,
    inputSchema: { type: 'object' },
  });
  const tools = [tool('a', 'First.'), tool('a', 'Second.'), tool('b', 'Same.'), tool('b', 'Same.')];
  const { session, mcp } = await openServers({ s: raw(JSON.stringify({ tools })) });
  expect(session.toolDefinitions().map(({ description }) => description)).toEqual([
    'First.',
    'Same.',
  ]);
  expect(mcp.status(session.id)[0]?.warnings).toEqual([
    '"a" is listed twice, differently; the first one counts',
  ]);
});

test('a flood of malformed items is told within bounds', async () => {
  const items = Array.from({ length: 20_000 }, (_, index) => `{"name":"t${index}"},5`);
  const bad = items.map((item) => item.replace('}', ',"inputSchema":7}'));
  const { session, mcp } = await openServers({ s: raw(`{"tools":[${bad.join(',')}]}`) });
  const status = mcp.status(session.id)[0];
  expect([status?.state, status?.dropped.length, status?.warnings]).toEqual([
    'ready',
    500,
    ['39500 more items of the tool list describe no tool'],
  ]);
});

test('of more tools than anybody can use the first are taken, and that is told', async () => {
  const tools = Array.from({ length: 5_200 }, (_, index) => ({
    name: `t${index}`,
    inputSchema: { type: 'object' },
  }));
  const { session, mcp } = await openServers({ s: raw(JSON.stringify({ tools })) });
  expect(session.toolNames()).toHaveLength(5_000);
  expect(mcp.status(session.id)[0]?.warnings).toEqual([
    'the server has more than 5000 tools; the others are left out',
  ]);
});

test('a list that is no result is a failure at once', async () => {
  const { session, mcp } = await openServers({ s: raw('null') });
  expect(mcp.status(session.id)[0]).toMatchObject({
    state: 'failed',
    reason: 'The answer is neither a result nor an error.',
  });
});

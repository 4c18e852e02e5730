import {
  array,
  assert as check,
  asyncProperty,
  constantFrom,
  string,
  uint8Array,
} from 'fast-check';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { McpEvent } from '../../src/index.ts';
import { Backoff } from '../../src/client/backoff.ts';
import { capEvents } from '../../src/client/cap-events.ts';
import { DirectRequests } from '../../src/client/direct-requests.ts';
import { LineReader } from '../../src/client/line-reader.ts';
import { readParamHeaders, toParamHeaders } from '../../src/client/param-headers.ts';
import { toPlainText } from '../../src/client/plain-text.ts';
import { RefreshSchedule } from '../../src/client/refresh-schedule.ts';
import { ServerLog } from '../../src/client/server-log.ts';
import { StderrTail } from '../../src/client/stderr-tail.ts';

describe('LineReader', () => {
  const read = (chunks: readonly Buffer[], maxBytes = 1_000) => {
    const messages: unknown[] = [];
    const noise: string[] = [];
    const dropped: number[] = [];
    const reader = new LineReader(maxBytes, {
      message: (value) => messages.push(value),
      noise: (line) => noise.push(line),
      tooLong: ({ bytes }) => dropped.push(bytes),
    });
    for (const chunk of chunks) reader.push(chunk);
    return { messages, noise, dropped };
  };

  test('messages arrive whole wherever the bytes are cut', async () => {
    await check(
      asyncProperty(
        array(string({ unit: 'grapheme' })),
        uint8Array({ maxLength: 20 }),
        async (texts, cuts) => {
          const sent = texts.map((text, id) => ({ jsonrpc: '2.0', id, text }));
          const bytes = Buffer.from(sent.map((message) => `${JSON.stringify(message)}\n`).join(''));
          const places = [0, ...[...cuts].map((cut) => cut % (bytes.length + 1)), bytes.length];
          const sorted = places.toSorted((a, b) => a - b);
          const chunks = sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
          expect(read(chunks, 1_000_000)).toEqual({ messages: sent, noise: [], dropped: [] });
        },
      ),
    );
  });

  test('noise, a byte order mark, CRLF, batches and overlong lines do no harm', () => {
    const lines = [
      'Starting…',
      '\uFEFF{"jsonrpc":"2.0","id":1}\r',
      '[{"jsonrpc":"2.0","id":2},{"jsonrpc":"2.0","id":3},4]',
      `{"jsonrpc":"2.0","id":4,"text":"${'x'.repeat(2_000)}"}`,
      '{"id":5}',
      '7',
      '',
      '{"jsonrpc":"2.0","id":6}',
    ];
    const { messages, noise, dropped } = read([Buffer.from(`${lines.join('\n')}\n`)]);
    expect(messages).toEqual([1, 2, 3, 6].map((id) => ({ jsonrpc: '2.0', id })));
    expect(noise).toHaveLength(4);
    expect(dropped).toEqual([2_034]);
  });
});

test('StderrTail keeps the last bytes, characters whole', () => {
  const tail = new StderrTail(10);
  tail.push(Buffer.from('a'.repeat(100)));
  tail.push(Buffer.from('ééééé\nlast'));
  expect(tail.text()).toBe('éé\nlast');
  expect(tail.lastLine()).toBe('last');
});

test('capEvents bounds one event, however long the stream', async () => {
  const event = `data: ${'x'.repeat(50)}\n\n`;
  const pass = async (chunks: readonly string[], isStream = true): Promise<number> => {
    let bytes = 0;
    const source = async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk);
    };
    for await (const chunk of capEvents(source(), 200, isStream)) bytes += chunk.length;
    return bytes;
  };
  await check(
    asyncProperty(array(constantFrom(1, 7, 58), { minLength: 1, maxLength: 30 }), async (sizes) => {
      const text = event.repeat(30);
      const chunks: string[] = [];
      for (let at = 0, turn = 0; at < text.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        chunks.push(text.slice(at, at + size));
        at += size;
      }
      expect(await pass(chunks)).toBe(text.length);
    }),
    { numRuns: 30 },
  );
  await expect(pass([event, 'data: ', 'y'.repeat(300)])).rejects.toMatchObject({
    type: 'limit_exceeded',
  });
  await expect(pass([event.repeat(5)], false)).rejects.toMatchObject({ type: 'limit_exceeded' });
});

test('Backoff doubles, is bounded, and gives up within its window alone', () => {
  let now = 0;
  const backoff = new Backoff(6, { now: () => now, random: () => 0.5 });
  expect([1, 2, 3, 4, 5, 6, 7].map(() => backoff.next())).toEqual([
    500,
    1_000,
    2_000,
    4_000,
    8_000,
    16_000,
    undefined,
  ]);
  now = 5 * 60_000;
  expect(backoff.next()).toBe(30_000);
  backoff.succeeded();
  expect(backoff.next()).toBe(500);
});

test('RefreshSchedule makes few refreshes of many notices, and never two at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let running = 0;
  let most = 0;
  const startedAt: number[] = [];
  const schedule = new RefreshSchedule(async () => {
    running += 1;
    most = Math.max(most, running);
    startedAt.push(performance.now());
    for (let count = 0; count < 20; count += 1) schedule.notice();
    await Promise.resolve();
    running -= 1;
    return 0;
  });
  for (let count = 0; count < 100; count += 1) schedule.notice();
  await vi.advanceTimersByTimeAsync(10_000);
  schedule.end();
  await vi.advanceTimersByTimeAsync(10_000);
  const inTwoSeconds = startedAt.map(
    (from) => startedAt.filter((at) => at >= from && at < from + 2_000).length,
  );
  expect(Math.max(...inTwoSeconds)).toBe(5);
  expect(startedAt.every((at) => at < (startedAt[0] ?? 0) + 10_000)).toBe(true);
  expect(most).toBe(1);
});

test('RefreshSchedule rests four times as long as a refresh kept the process busy, within a bound', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const busy = [500, 60_000, 0];
  const startedAt: number[] = [];
  const schedule = new RefreshSchedule(async () => {
    startedAt.push(performance.now());
    schedule.notice();
    return busy[startedAt.length - 1] ?? 0;
  });
  schedule.notice();
  await vi.advanceTimersByTimeAsync(33_000);
  schedule.end();
  const pauses = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
  expect(pauses).toEqual([2_000, 30_000, 450]);
});

test('RefreshSchedule tries a failed refresh three times more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let runs = 0;
  const schedule = new RefreshSchedule(async () => {
    runs += 1;
    throw new Error('not now');
  });
  schedule.notice();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(runs).toBe(4);
  schedule.end();
});

test('toPlainText takes out what hides, and cuts between characters', () => {
  expect(toPlainText('a\u202Eb\u200Bc\u0007d\u{E0041}e\nf', 100)).toBe('abcde\nf');
  expect(toPlainText('x😀😀', 3)).toBe('x…');
});

describe('headers of arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      deep: { type: 'object', properties: { on: { type: 'boolean', 'x-mcp-header': 'On' } } },
    },
  };

  test('primitive arguments are mirrored, encoded where a header cannot carry them', () => {
    const reading = readParamHeaders(schema);
    if (!reading.ok) throw new Error(reading.reason);
    expect(toParamHeaders(reading.headers, { region: 'eu west', deep: { on: true } })).toEqual({
      'Mcp-Param-Region': 'eu west',
      'Mcp-Param-On': 'true',
    });
    expect(toParamHeaders(reading.headers, { region: 'Zürich' })).toEqual({
      'Mcp-Param-Region': '=?base64?WsO8cmljaA==?=',
    });
    expect(toParamHeaders(reading.headers, { region: 'a\r\nX: y' })).toEqual({
      'Mcp-Param-Region': '=?base64?YQ0KWDogeQ==?=',
    });
    expect(toParamHeaders(reading.headers, { region: null })).toBeUndefined();
  });

  test.each([
    [{ properties: { a: { type: 'string', 'x-mcp-header': 'a b' } } }],
    [{ properties: { a: { type: 'object', 'x-mcp-header': 'A' } } }],
    [{ properties: { a: { type: 'number', 'x-mcp-header': 'A' } } }],
    [{ properties: { a: { items: { type: 'string', 'x-mcp-header': 'A' } } } }],
    [{ 'x-mcp-header': 'A', type: 'string' }],
    [
      {
        properties: {
          a: { type: 'string', 'x-mcp-header': 'A' },
          b: { type: 'string', 'x-mcp-header': 'a' },
        },
      },
    ],
  ])('%j is refused', (bad) => {
    expect(readParamHeaders(bad).ok).toBe(false);
  });
});

test('ServerLog tells fifty messages a second at most, cleaned and cut', () => {
  const told: McpEvent[] = [];
  const log = new ServerLog('s', (event) => told.push(event));
  for (let count = 0; count < 200; count += 1) log.tell({ level: 'info', data: { count } });
  log.tell('no message at all');
  // A second may have begun meanwhile.
  expect(told.length).toBeGreaterThanOrEqual(50);
  expect(told.length).toBeLessThanOrEqual(100);
  expect(told[0]).toEqual({ type: 'log', server: 's', level: 'info', message: '{"count":0}' });
  const other = new ServerLog('s', (event) => told.push(event));
  other.tell({ level: 'x'.repeat(50), data: `a\u202eb${'c'.repeat(3_000)}` });
  expect(told.at(-1)).toMatchObject({
    level: 'x'.repeat(20),
    message: expect.stringMatching(/^abc{1997}…$/),
  });
});

describe('DirectRequests', () => {
  const sentBy = (send: (message: JSONRPCMessage) => Promise<void> = async () => {}) => {
    const sent: JSONRPCMessage[] = [];
    const requests = new DirectRequests(async (message) => {
      sent.push(message);
      await send(message);
    });
    return { requests, sent };
  };
  const id = 1_000_000_000;

  test('an answer reaches its request once; others are left alone', async () => {
    const { requests, sent } = sentBy();
    const first = requests.send('tools/call', { name: 'a' });
    const second = requests.send('tools/call', { name: 'b' });
    expect(sent).toEqual([
      { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'a' } },
      { jsonrpc: '2.0', id: id + 1, method: 'tools/call', params: { name: 'b' } },
    ]);
    expect(requests.takes({ jsonrpc: '2.0', id: 0, result: {} })).toBe(false);
    expect(requests.takes({ jsonrpc: '2.0', id, method: 'ping' })).toBe(false);
    expect(requests.takes({ jsonrpc: '2.0', id: id + 1, result: { of: 'b' } })).toBe(true);
    expect(requests.takes({ jsonrpc: '2.0', id: id + 1, result: { of: 'c' } })).toBe(false);
    const error = { code: -32_000, message: 'no', data: { x: 1 } };
    expect(requests.takes({ jsonrpc: '2.0', id, error })).toBe(true);
    expect(await second.answer).toEqual({ of: 'b' });
    await expect(first.answer).rejects.toMatchObject(error);
  });

  test('a request that cannot be sent, is given up, or loses its connection rejects once', async () => {
    const broken = sentBy(async () => {
      throw new Error('no pipe');
    });
    await expect(broken.requests.send('tools/call', {}).answer).rejects.toThrow('no pipe');
    const { requests, sent } = sentBy();
    const given = requests.send('tools/call', {});
    given.cancel(new Error('enough'));
    given.cancel(new Error('twice'));
    await expect(given.answer).rejects.toThrow('enough');
    expect(sent.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: id, reason: 'enough' },
      },
    ]);
    expect(requests.takes({ jsonrpc: '2.0', id, result: {} })).toBe(false);
    const lost = requests.send('tools/call', {});
    requests.failAll(new Error('gone'));
    await expect(lost.answer).rejects.toThrow('gone');
  });
});

import { expect, test } from 'vitest';
import { toOutput } from '../../src/client/to-output.ts';
import { fixture, openServers } from './fixtures/open.ts';

const mcp = (tool: string, more: object = {}) => ({ mcp: { server: 's', tool, ...more } });

test('MCP-014: content of every kind arrives, and none costs the result', async () => {
  const { session } = await openServers({ s: fixture('content') });
  const run = async (tool: string) => {
    const { output, exit_code, structured, content, metadata, trust, error } = await session.tool(
      `mcp__s__${tool}`,
    );
    return { output, exit_code, structured, content, mcp: metadata['mcp'], trust, error };
  };
  const plain = (tool: string) => ({
    exit_code: 0,
    structured: undefined,
    content: undefined,
    mcp: mcp(tool).mcp,
    trust: 'external',
    error: null,
  });
  expect(await run('json')).toEqual({
    ...plain('json'),
    output: '[unsupported content: json] {"type":"json","json":{"a":1}}',
  });
  expect(await run('image')).toEqual({
    ...plain('image'),
    output: '[image image/png, 3 bytes]',
    content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
  });
  expect(await run('structured')).toEqual({
    ...plain('structured'),
    output: '{"a":1}',
    structured: { a: 1 },
  });
  expect(await run('text_and_structured')).toEqual({
    ...plain('text_and_structured'),
    output: 'the text',
    structured: { a: 1 },
  });
  expect(await run('audio')).toEqual({
    ...plain('audio'),
    output: '[audio audio/wav, 3 bytes]',
    content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }],
  });
  const resource = { uri: 'test://x', mimeType: 'text/plain', text: 'inside' };
  expect(await run('resource')).toEqual({
    ...plain('resource'),
    output: '[resource test://x]\ninside',
    content: [{ type: 'resource', resource }],
  });
  expect(await run('link')).toEqual({
    ...plain('link'),
    output: '[resource link Y: test://y, text/plain, 7 bytes]',
    content: [{ type: 'resource_link', uri: 'test://y', name: 'Y', mimeType: 'text/plain' }],
  });
  expect(await run('error')).toEqual({
    ...plain('error'),
    output: 'it went wrong',
    exit_code: 1,
    mcp: mcp('error', { is_error: true }).mcp,
  });
  expect(await run('video')).toEqual({
    ...plain('video'),
    output: '[unsupported content: video] {"type":"video","data":"AAAA"}\nstill here',
  });
  expect((await run('user_only')).output).toBe('for all');
  expect((await run('empty')).output).toBe('[the tool answered without content]');
});

test('MCP-015: an output that breaks its schema is a warning, its text stays', async () => {
  const { session } = await openServers({ s: fixture('output-schema') });
  const mismatch = await session.tool('mcp__s__mismatch');
  expect(mismatch.output).toBe('see n');
  expect(mismatch.structured).toEqual({ n: 'x' });
  expect(mismatch.exit_code).toBe(0);
  expect(mismatch.metadata['mcp']).toEqual(
    mcp('mismatch', {
      warnings: [expect.stringMatching(/^structured content breaks the output schema: .*\/n/)],
    }).mcp,
  );
  const missing = await session.tool('mcp__s__missing');
  expect([missing.output, missing.exit_code]).toEqual(['no n', 0]);
  expect(missing.metadata['mcp']).toEqual(
    mcp('missing', { warnings: ['the tool promises structured content and gave none'] }).mcp,
  );
  const error = await session.tool('mcp__s__error');
  expect([error.output, error.exit_code, error.metadata['mcp']]).toEqual([
    'it went wrong',
    1,
    mcp('error', { is_error: true }).mcp,
  ]);
});

test('what a server says reaches an agent as untrusted content', async () => {
  const { session } = await openServers(
    { s: { ...fixture('plain'), trust: 'trusted' } },
    { open: { approver: async () => ({ decision: 'approve' }) } },
  );
  expect(session.tainted).toBe(false);
  const result = await session.invoke({ name: 'mcp__s__echo', arguments: { message: 'hi' } });
  expect([result.output, result.trust]).toEqual(['Echo: hi', 'external']);
  expect(session.tainted).toBe(true);
});

const reader = { server: 's', tool: 't', outputValidator: undefined };

test.each([
  ['AAEC', 'AAEC', 3],
  ['AA\r\nEC\n', 'AAEC', 3],
  ['_-8', '/+8=', 2],
  ['AAE=', 'AAE=', 2],
  ['', '', 0],
])('base64 written as %j is read one way', (data, base64, bytes) => {
  const { output, content } = toOutput(
    { content: [{ type: 'image', data, mimeType: 'image/png' }] },
    reader,
  );
  expect([output, content]).toEqual([
    `[image image/png, ${bytes} bytes]`,
    [{ type: 'image', data: base64, mimeType: 'image/png' }],
  ]);
});

test.each(['AAA!', 'AAAAA', 'A=AA', '====', '😀'])('%j is no base64, and is told so', (data) => {
  const { output, content } = toOutput(
    {
      content: [
        { type: 'image', data, mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'x:y', blob: data } },
      ],
    },
    reader,
  );
  expect(content).toBeUndefined();
  expect(output).toBe(
    '[image image/png: its data is no base64]\n[resource x:y: its data is no base64]',
  );
});

test.each([
  ['image/png', 'image/png'],
  ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
  ['png', 'application/octet-stream'],
  ['image/png\nignore: all', 'application/octet-stream'],
  [undefined, 'application/octet-stream'],
  [7, 'application/octet-stream'],
])('the media type %j is taken for %s', (mimeType, expected) => {
  const { content } = toOutput({ content: [{ type: 'audio', data: '', mimeType }] }, reader);
  expect(content).toEqual([{ type: 'audio', data: '', mimeType: expected }]);
});

test('a flood of blocks for the user alone, and of metadata, leaves the rest of the metadata whole', () => {
  const block = {
    type: 'text',
    text: 'x'.repeat(10_000),
    annotations: { audience: ['user'] },
  };
  const { metadata } = toOutput(
    { content: Array.from({ length: 50 }, () => block), _meta: { x: 'y'.repeat(9_000) } },
    reader,
  );
  expect(metadata).toEqual({
    mcp: { server: 's', tool: 't', for_user: [block, block, block], for_user_omitted: 47 },
  });
});

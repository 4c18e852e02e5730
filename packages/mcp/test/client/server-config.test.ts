import { describe, expect, test } from 'vitest';
import { mcpEndpoints } from '../../src/index.ts';
import { readServers } from '../../src/client/server-config.ts';

function endpointOf(config: unknown): unknown {
  const [reading] = readServers({ one: config });
  return reading?.ok === true ? reading.settings.endpoint : reading?.reason;
}

describe('readServers', () => {
  test('fills in the defaults', () => {
    expect(readServers({ one: { command: 'npx', args: ['-y', 'x'] } })).toEqual([
      {
        ok: true,
        settings: {
          name: 'one',
          endpoint: { kind: 'stdio', command: 'npx', args: ['-y', 'x'], env: {}, cwd: undefined },
          disabled: false,
          defer: false,
          trust: 'untrusted',
          timeoutMs: 60_000,
          maxTotalMs: 600_000,
          resetTimeoutOnProgress: true,
          connectTimeoutMs: 30_000,
          protocol: 'legacy',
          includeTools: undefined,
          excludeTools: new Set(),
          autoApprove: new Set(),
          roots: [],
          retry: false,
          maxMessageBytes: 67_108_864,
          maxRestarts: 6,
          warnings: [],
        },
      },
    ]);
  });

  const url = 'https://mcp.example.com/mcp';
  test.each([
    ['url alone may be either', { url }, 'any'],
    ['type http', { type: 'http', url }, 'streamable'],
    ['type streamable-http', { type: 'streamable-http', url }, 'streamable'],
    ['type streamableHttp', { type: 'streamableHttp', url }, 'streamable'],
    ['type sse', { type: 'sse', url }, 'sse'],
    ['transportType', { transportType: 'sse', url }, 'sse'],
    ['httpUrl', { httpUrl: url }, 'streamable'],
    ['serverUrl', { serverUrl: url }, 'any'],
    ['a nested transport', { transport: { type: 'sse', url } }, 'sse'],
    ['a transport by word', { transport: 'sse', url }, 'sse'],
  ])('reads %s', (_, config, flavour) => {
    expect(endpointOf(config)).toEqual({ kind: 'http', url: new URL(url), headers: {}, flavour });
  });

  test.each([
    ['nothing', {}, 'it has neither a command nor a url'],
    ['both', { command: 'x', url }, 'it has both a command and a url; give one'],
    ['no object', 5, 'it is no object'],
    ['another scheme', { url: 'ftp://x/' }, 'url has the scheme ftp: and needs http: or https:'],
    ['credentials', { url: 'https://a:b@x/' }, 'url holds credentials; put them into headers'],
    ['an unknown type', { type: 'ws', url }, 'type "ws" is none of stdio, http, sse'],
    [
      'a type that does not fit',
      { type: 'http', command: 'x' },
      'it has a command, and the type http needs a url',
    ],
    ['args of numbers', { command: 'x', args: [1] }, 'args is no list of texts'],
    [
      'a time of zero',
      { command: 'x', timeoutMs: 0 },
      'timeoutMs must be a whole number from 1 to 2147483647',
    ],
    [
      'an unknown trust',
      { command: 'x', trust: 'full' },
      'trust must be one of untrusted, annotations, trusted',
    ],
    [
      'a variable that nobody has filled in',
      { url, headers: { Authorization: 'Bearer ${env:TOKEN}' } },
      'env TOKEN is not set (headers.Authorization)',
    ],
    [
      'a placeholder of another kind',
      { command: 'x', args: ['${input:key}'] },
      '${input:key} is not filled in (args.0)',
    ],
  ])('refuses %s, and only that server', (_, config, reason) => {
    const [bad, good] = readServers({ bad: config, good: { command: 'x' } });
    expect(bad).toEqual({ ok: false, name: 'bad', reason: `config_error: ${reason}` });
    expect(good?.ok).toBe(true);
  });

  test('keys that are nearly ours are told; those of other clients are left alone', () => {
    const [reading] = readServers({
      one: {
        command: 'x',
        timeout: 5,
        excludeTool: ['a'],
        Trust: 'trusted',
        gallery: true,
        icon: 'y',
      },
    });
    if (reading?.ok !== true) throw new Error('It cannot be read.');
    expect(reading.settings.warnings).toEqual([
      'the key "timeout" is not read; did you mean timeoutMs?',
      'the key "excludeTool" is not read; did you mean excludeTools?',
      'the key "Trust" is not read; did you mean trust?',
    ]);
    expect(reading.settings.trust).toBe('untrusted');
  });

  test('one that is disabled may lack what it would be started with', () => {
    const [reading] = readServers({
      one: { url, headers: { Authorization: '${TOKEN}' }, disabled: true },
    });
    expect(reading?.ok === true && reading.settings.disabled).toBe(true);
  });

  test('takes a whole file of either form', () => {
    for (const key of ['mcpServers', 'servers']) {
      expect(readServers({ [key]: { one: { command: 'x' } } }).map((each) => each.ok)).toEqual([
        true,
      ]);
    }
  });

  test('reads filters in the spellings that are in use; the narrower one wins', () => {
    const [reading] = readServers({
      one: { command: 'x', allowedTools: ['a', 'b'], excludedTools: ['b'], enabled: false },
    });
    if (reading?.ok !== true) throw new Error('It cannot be read.');
    expect(reading.settings.includeTools).toEqual(new Set(['a', 'b']));
    expect(reading.settings.excludeTools).toEqual(new Set(['b']));
    expect(reading.settings.disabled).toBe(true);
  });
});

test('mcpEndpoints lists the addresses of a config, and nothing that has to be looked up', () => {
  const servers = {
    a: { url: 'http://127.0.0.1:3000/mcp' },
    b: { url: 'http://localhost:3001/mcp' },
    c: { url: 'https://[fd00::1]/mcp' },
    d: { url: 'https://mcp.example.com/mcp' },
    e: { url: 'http://10.0.0.9/mcp', disabled: true },
    f: { command: 'x' },
  };
  expect(mcpEndpoints(servers)).toEqual([
    '127.0.0.1:3000',
    '127.0.0.1:3001',
    '[::1]:3001',
    '[fd00::1]:443',
  ]);
});

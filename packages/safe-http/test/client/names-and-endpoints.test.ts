import { describe, expect, test } from 'vitest';
import { createHttpClient } from '../../src/index.ts';
import { serveRoutes } from '../../src/testing/index.ts';
import { outcome, PUBLIC, useTestNet } from '../support/test-client.ts';

const net = useTestNet();

describe('a refusal', () => {
  test('says what else there is to do', async () => {
    const client = net.client({});
    const refused = (url: string): Promise<unknown> => client.request({ url });
    await expect(refused('http://127.0.0.1:18000/')).rejects.toThrow(
      /^The address 127\.0\.0\.1 is no public destination .* allows this one \(allowPrivateHosts\)\.$/,
    );
    await expect(refused('http://localhost:18000/')).rejects.toThrow(
      /^The host "localhost" is this machine .* allows its address \(allowPrivateHosts\), use that\.$/,
    );
  });
});

describe('a name', () => {
  test('SSRF-008: an answer that changes between check and connect is never connected to', async () => {
    let asked = 0;
    const dialled: string[] = [];
    const rebinding = net.client({
      resolver: async () => {
        asked += 1;
        return asked === 1 ? [PUBLIC] : ['127.0.0.1'];
      },
      connector: async (endpoint) => {
        dialled.push(endpoint.address);
        throw new Error('not reachable in a test');
      },
    });
    const url = `http://rebind.test:${String(net.canary.port)}/`;
    expect(await outcome(rebinding, url)).toBe('transport/connect_failed');
    expect(asked).toBe(1);
    expect(await outcome(rebinding, url)).toBe('permission_denied/address_refused');
    expect(asked).toBe(2);
    expect(dialled).toEqual([PUBLIC]);
    expect(net.canary.connections).toBe(0);
  });

  test('SSRF-010: a kept connection does not outlive the answer it was judged by', async () => {
    const server = await net.serve(serveRoutes({ '/': { body: 'public' } }));
    let answers = [PUBLIC];
    const keeping = net.client({
      resolver: async () => answers,
      connect: { [`${PUBLIC}:${String(net.canary.port)}`]: server.endpoint },
    });
    const url = `http://h.test:${String(net.canary.port)}/`;
    expect(await outcome(keeping, url)).toBe('200 public');
    expect(await outcome(keeping, url)).toBe('200 public');
    expect(server.connections).toBe(1);
    answers = ['127.0.0.1'];
    expect(await outcome(keeping, url)).toBe('permission_denied/address_refused');
    expect(server.connections).toBe(1);
    expect(net.canary.connections).toBe(0);
  });

  test.each([
    [['127.0.0.1']],
    [[PUBLIC, '127.0.0.1']],
    [['127.0.0.1', PUBLIC]],
    [[PUBLIC, '::1']],
    [[PUBLIC, '::ffff:10.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['not an address']],
  ])('with answers %j is refused', async (answers) => {
    const mixed = net.client({ resolver: async () => answers });
    expect(await outcome(mixed, `http://mixed.test:${String(net.canary.port)}/`)).toBe(
      'permission_denied/address_refused',
    );
    expect(net.canary.connections).toBe(0);
  });

  test('without an answer is a transport failure', async () => {
    const empty = net.client({ resolver: async () => [] });
    expect(await outcome(empty, 'http://empty.test/')).toBe('transport/name_not_resolved');
    const failing = net.client({
      resolver: async () => {
        throw new Error('no such name');
      },
    });
    expect(await outcome(failing, 'http://failing.test/')).toBe('transport/name_not_resolved');
  });
});

describe('static answers and endpoints', () => {
  test('`resolve` is judged like DNS, `connect` is never asked for a refused address', async () => {
    const port = String(net.canary.port);
    const configured = net.client({
      resolve: { 'private.test': ['10.0.0.1'], 'public.test': [PUBLIC] },
      connect: {
        [`10.0.0.1:${port}`]: net.canary.endpoint,
        [`${PUBLIC}:${port}`]: net.canary.endpoint,
      },
    });
    expect(await outcome(configured, `http://private.test:${port}/`)).toBe(
      'permission_denied/address_refused',
    );
    expect(net.canary.connections).toBe(0);
    expect(await outcome(configured, `http://public.test:${port}/`)).toBe('200 secret');
    expect(net.canary.requests[0]?.headers['host']).toBe(`public.test:${port}`);
  });

  test('`allowPrivateHosts` admits one endpoint, by address, and no name', async () => {
    const other = await net.serve(serveRoutes({}));
    const allowing = net.client({
      allowPrivateHosts: [net.canary.endpoint],
      resolve: { 'alias.test': ['127.0.0.1'] },
    });
    const port = String(net.canary.port);
    expect(await outcome(allowing, `http://127.0.0.1:${port}/`)).toBe('200 secret');
    expect(await outcome(allowing, `http://0x7f.1:${port}/`)).toBe('200 secret');
    expect(await outcome(allowing, `http://[::ffff:127.0.0.1]:${port}/`)).toBe('200 secret');
    expect(await outcome(allowing, `http://alias.test:${port}/`)).toBe('200 secret');
    expect(await outcome(allowing, `http://localhost:${port}/`)).toBe(
      'permission_denied/address_refused',
    );
    expect(await outcome(allowing, `http://127.0.0.2:${port}/`)).toBe(
      'permission_denied/address_refused',
    );
    expect(await outcome(allowing, `http://127.0.0.1:${String(other.port)}/`)).toBe(
      'permission_denied/address_refused',
    );
    expect(other.connections).toBe(0);
  });

  test.each([
    { allowPrivateHosts: ['localhost:80'] },
    { allowPrivateHosts: ['127.0.0.1'] },
    { allowPrivateHosts: ['*:80'] },
    { allowPrivateHosts: ['127.0.0.1:0'] },
    { allowPrivateHosts: ['127.0.0.1:65536'] },
    { allowPrivateHosts: ['127.1:80'] },
    { allowPrivateHosts: ['::1:80'] },
    { resolve: { 'a b': ['1.1.1.1'] } },
    { resolve: { '127.0.0.1': ['1.1.1.1'] } },
    { resolve: { 'name.test': ['other.test'] } },
    { connect: { 'name.test:80': '127.0.0.1:80' } },
    { connect: { '1.1.1.1:80': 'localhost:80' } },
    { proxy: 'socks5://127.0.0.1:1080' },
    { proxy: 'not a url' },
  ])('%j is no configuration', (options) => {
    expect(() => createHttpClient(options)).toThrow(TypeError);
  });
});

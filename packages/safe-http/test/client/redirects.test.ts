import { describe, expect, test } from 'vitest';
import { ToolError } from '@toolwright/core';
import { redirectTo, serveRoutes, startHostileServer } from '../../src/testing/index.ts';
import { outcome, PUBLIC, useTestNet } from '../support/test-client.ts';

const net = useTestNet();

describe('a redirect', () => {
  test('SSRF-011: into a private address is refused, naming the hop', async () => {
    const port = String(net.canary.port);
    const targets: readonly [string, string][] = [
      ['http://169.254.169.254/latest/', 'permission_denied/address_refused'],
      [`//127.0.0.1:${port}/`, 'permission_denied/address_refused'],
      [`http://[::1]:${port}/`, 'permission_denied/address_refused'],
      ['file:///etc/hostname', 'permission_denied/address_refused'],
      [`http://localhost:${port}/`, 'permission_denied/address_refused'],
      [`http://private.test:${port}/`, 'permission_denied/address_refused'],
      [`http://user:pw@public.test:${port}/`, 'invalid_argument/userinfo'],
      ['http://[', 'invalid_argument/bad_url'],
      ['/a\\b', 'invalid_argument/bad_url'],
      ['', 'transport/protocol'],
      [`http://public.test:22/`, 'permission_denied/address_refused'],
    ];
    const routes = Object.fromEntries(
      targets.map(([target], index) => [`/${String(index)}`, redirectTo(target)]),
    );
    const server = await net.serve(serveRoutes(routes));
    const redirected = net.client({
      resolve: { 'public.test': [PUBLIC], 'private.test': ['127.0.0.1'] },
      connect: { [`${PUBLIC}:80`]: server.endpoint },
    });
    for (const [index, [target, expected]] of targets.entries()) {
      const url = `http://public.test/${String(index)}`;
      expect([target, await outcome(redirected, url)]).toEqual([target, expected]);
      await expect(redirected.request({ url })).rejects.toThrow('Redirect 1');
    }
    expect(net.canary.connections).toBe(0);
  });

  test('is asked about before it is followed, and a refusal ends it', async () => {
    const server = await startHostileServer(
      serveRoutes({
        '/': redirectTo('/a?token=x', 301),
        '/a': redirectTo('http://other.test/b', 307),
        '/b': { body: 'end' },
      }),
    );
    const routed = net.client({
      resolve: { 'public.test': [PUBLIC], 'other.test': ['1.1.1.1'] },
      connect: { [`${PUBLIC}:80`]: server.endpoint, '1.1.1.1:80': server.endpoint },
    });
    const seen: unknown[] = [];
    const response = await routed.request({
      url: 'http://public.test/#frag',
      onRedirect: async (target) => {
        seen.push(target);
      },
    });
    expect(seen).toEqual([
      { url: 'http://public.test/a?token=x', status: 301, method: 'GET' },
      { url: 'http://other.test/b', status: 307, method: 'GET' },
    ]);
    expect(response.url).toBe('http://other.test/b');
    expect(response.redirects).toEqual(['http://public.test/', 'http://public.test/a']);
    await response.cancel();
    const before = server.requests.length;
    const refused = await outcome(routed, {
      url: 'http://public.test/a',
      onRedirect: async () => {
        throw new ToolError('confirmation_rejected', 'no');
      },
    });
    expect(refused).toBe('confirmation_rejected/');
    expect(server.requests.length).toBe(before + 1);
  });

  test('to another origin keeps only allow-listed headers, to the same all', async () => {
    const server = await startHostileServer(
      serveRoutes({
        '/same': redirectTo('/cross'),
        '/cross': redirectTo('http://other.test/end'),
        '/end': { body: 'x' },
      }),
    );
    const headered = net.client({
      resolve: { 'public.test': [PUBLIC], 'other.test': ['1.1.1.1'] },
      connect: { [`${PUBLIC}:80`]: server.endpoint, '1.1.1.1:80': server.endpoint },
    });
    const headers = {
      Accept: 'text/html',
      Range: 'bytes=0-5',
      Authorization: 'Bearer s',
      Cookie: 'a=b',
      'If-Range': '"e"',
      'X-Api-Key': 'k',
      'Accept-Language': 'en',
    };
    await outcome(headered, { url: 'http://public.test/same', headers });
    const names = server.requests.map((request) => Object.keys(request.headers).toSorted());
    const all = [
      'accept',
      'accept-encoding',
      'accept-language',
      'authorization',
      'connection',
      'cookie',
      'host',
      'if-range',
      'range',
      'user-agent',
      'x-api-key',
    ];
    expect(names).toEqual([
      all,
      all,
      ['accept', 'accept-encoding', 'connection', 'host', 'range', 'user-agent'],
    ]);
  });

  test('turns a POST into a GET without body where the standard says so, and never sends a body elsewhere', async () => {
    const server = await startHostileServer(
      serveRoutes({
        '/303': redirectTo('/end', 303),
        '/302': redirectTo('/end', 302),
        '/307': redirectTo('/end', 307),
        '/away': redirectTo('http://other.test/end', 308),
        '/end': { body: 'x' },
      }),
    );
    const posting = net.client({
      resolve: { 'public.test': [PUBLIC], 'other.test': ['1.1.1.1'] },
      connect: { [`${PUBLIC}:80`]: server.endpoint, '1.1.1.1:80': server.endpoint },
    });
    const post = async (path: string): Promise<string> =>
      outcome(posting, {
        url: `http://public.test${path}`,
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: Buffer.from('data'),
      });
    await post('/303');
    await post('/302');
    await post('/307');
    expect(
      server.requests.map(({ method, target, headers, body }) => [
        method,
        target,
        headers['content-type'],
        Buffer.from(body).toString(),
      ]),
    ).toEqual([
      ['POST', '/303', 'text/plain', 'data'],
      ['GET', '/end', undefined, ''],
      ['POST', '/302', 'text/plain', 'data'],
      ['GET', '/end', undefined, ''],
      ['POST', '/307', 'text/plain', 'data'],
      ['POST', '/end', 'text/plain', 'data'],
    ]);
    expect(await post('/away')).toBe('transport/cross_origin_redirect');
  });

  test('the eleventh is too many, and a caller can allow fewer or stay on the origin', async () => {
    const server = await net.serve(async (exchange) => {
      const hop = Number(exchange.request.target.slice(1));
      const next = hop === 0 ? undefined : `/${String(hop - 1)}`;
      await serveRoutes({
        [exchange.request.target]: next === undefined ? { body: 'end' } : redirectTo(next),
        '/99': redirectTo('http://other.test/'),
      })(exchange);
    });
    const looping = net.client({
      resolve: { 'public.test': [PUBLIC] },
      connect: { [`${PUBLIC}:80`]: server.endpoint },
    });
    expect(await outcome(looping, 'http://public.test/10')).toBe('200 end');
    expect(await outcome(looping, 'http://public.test/11')).toBe('transport/too_many_redirects');
    expect(await outcome(looping, { url: 'http://public.test/1', maxRedirects: 0 })).toBe(
      'transport/too_many_redirects',
    );
    expect(await outcome(looping, { url: 'http://public.test/99', sameOrigin: true })).toBe(
      'transport/cross_origin_redirect',
    );
  });

  test('without a target breaks the protocol', async () => {
    const server = await net.serve(serveRoutes({ '/': { status: 302 } }));
    const lost = net.client({
      resolve: { 'public.test': [PUBLIC] },
      connect: { [`${PUBLIC}:80`]: server.endpoint },
    });
    expect(await outcome(lost, 'http://public.test/')).toBe('transport/protocol');
  });
});

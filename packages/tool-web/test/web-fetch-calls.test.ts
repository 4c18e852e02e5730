import { describe, expect, test } from 'vitest';
import { redirectTo, sendPlain, serveRoutes } from '@toolwright/safe-http/testing';
import type { HostileBehaviour, PlainResponse } from '@toolwright/safe-http/testing';
import { outcomeOf, useWebBench } from './support/test-session.ts';

const bench = useWebBench();
const HTML = { 'content-type': 'text/html' };

const one =
  (response: PlainResponse): HostileBehaviour =>
  async (exchange) =>
    sendPlain(exchange, response);

describe('parts', () => {
  const text = `${'a😀b漢'.repeat(500)}end`;

  test('follow each other without a gap, from one snapshot', async () => {
    const { fetch, server } = await bench(
      one({ body: text, headers: { 'content-type': 'text/plain' } }),
    );
    let joined = '';
    let offset: unknown = 0;
    let parts = 0;
    while (typeof offset === 'number') {
      const result = await fetch('/', { offset, max_chars: 333 });
      const range = Object(result.metadata['range']);
      joined += Array.from(result.output).slice(0, range.returned_chars).join('');
      expect(range.total_chars).toBe(2003);
      expect(range.eof).toBe(range.next_offset === null);
      expect(result.output.includes('To go on, call again with offset')).toBe(!range.eof);
      offset = range.next_offset;
      parts += 1;
    }
    expect(joined).toBe(text);
    expect(parts).toBe(7);
    expect(server.requests.length).toBe(1);
  });

  test('at the end are empty, behind it an error', async () => {
    const { fetch } = await bench(one({ body: 'abc', headers: { 'content-type': 'text/plain' } }));
    const end = await fetch('/', { offset: 3 });
    expect(end.output).toBe('');
    expect(end.metadata['range']).toMatchObject({
      offset: 3,
      returned_chars: 0,
      total_chars: 3,
      next_offset: null,
      eof: true,
    });
    expect(outcomeOf(await fetch('/', { offset: 4 }))).toBe('invalid_argument/out_of_range');
  });

  test('fit into the output, whatever the characters weigh', async () => {
    const { fetch } = await bench(
      one({ body: '漢'.repeat(60_000), headers: { 'content-type': 'text/plain; charset=utf-8' } }),
    );
    const result = await fetch('/', { max_chars: 100_000 });
    const range = Object(result.metadata['range']);
    expect(range.returned_chars).toBeGreaterThan(30_000);
    expect(range.next_offset).toBe(range.returned_chars);
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(102_400);
    expect(result.output.startsWith('漢'.repeat(range.returned_chars))).toBe(true);
  });

  test('a page that changed meanwhile is told, once the snapshot is too old', async () => {
    let nowMs = Date.UTC(2026, 10, 30);
    let body = 'first version';
    const { fetch } = await bench(
      async (exchange) => sendPlain(exchange, { body, headers: { 'content-type': 'text/plain' } }),
      {
        clock: () => nowMs,
      },
    );
    const first = await fetch('/', { max_chars: 5 });
    body = 'other version';
    expect((await fetch('/', { offset: 5, max_chars: 5 })).output).toContain(' vers');
    nowMs += 3_600_000;
    const later = await fetch('/', { offset: 5, max_chars: 100 });
    expect(later.output).toContain('The page has changed');
    expect(later.metadata['drift']).toEqual({
      previous_sha256: first.metadata['content_sha256'],
      content_sha256: later.metadata['content_sha256'],
    });
  });
});

describe('robots.txt', () => {
  const routes = {
    '/robots.txt': { body: 'User-agent: *\nDisallow: /private\nAllow: /private/open$\n' },
    '/private': { body: 'x' },
    '/private/open': { body: 'open' },
    '/public': { body: 'public' },
    '/into': redirectTo('/private'),
  };

  test('is asked once and followed when the host wants it, behind redirects too', async () => {
    const { fetch, server } = await bench(serveRoutes(routes), { robots: 'respect' });
    expect((await fetch('/public')).output).toBe('public');
    expect((await fetch('/private/open')).output).toBe('open');
    expect(outcomeOf(await fetch('/private'))).toBe('permission_denied/robots');
    expect(outcomeOf(await fetch('/into'))).toBe('permission_denied/robots');
    expect(server.requests.filter(({ target }) => target === '/robots.txt').length).toBe(1);
    expect(server.requests.filter(({ target }) => target === '/private').length).toBe(0);
  });

  test('is not asked by default', async () => {
    const { fetch, server } = await bench(serveRoutes(routes));
    expect((await fetch('/private')).output).toBe('x');
    expect(server.requests.length).toBe(1);
  });
});

describe('render', () => {
  test('without a browser is told as unsupported', async () => {
    const { fetch, server } = await bench(one({ body: 'x' }));
    expect(outcomeOf(await fetch('/', { render: true }))).toBe('unsupported/no_browser');
    expect(server.connections).toBe(0);
  });

  test('reads what the browser made of the page', async () => {
    const { fetch } = await bench(one({ body: 'x' }), {
      browser: {
        render: async ({ url }) => ({
          url: `${url}#app`,
          status: 200,
          html: '<main><p>made by scripts</main>',
        }),
        close: async () => {},
      },
    });
    const result = await fetch('/', { render: true });
    expect(result.output).toBe('made by scripts');
  });
});

test('what comes back is marked as external, and the helper is on the session', async () => {
  const { fetch, session } = await bench(
    one({ body: 'x', headers: { 'content-type': 'text/plain' } }),
  );
  expect((await fetch('/')).trust).toBe('external');
  expect(session).toHaveProperty('webFetch');
});

describe('parse_link', () => {
  const long = 'x'.repeat(60_000);
  test.each([
    [{}, 12_000],
    [{ maxLength: 1 }, 500],
    [{ maxLength: 499 }, 500],
    [{ maxLength: 700 }, 700],
    [{ maxLength: 60_000 }, 50_000],
  ])('%j gives %d characters', async (args, expected) => {
    const { session } = await bench(one({ body: `<title>T</title><p>${long}`, headers: HTML }));
    const result = await session.tool('parse_link', { url: 'http://site.test/', ...args });
    expect(result.structured).toEqual({
      url: 'http://site.test/',
      title: 'T',
      content: 'x'.repeat(expected),
      originalLength: 60_000,
      truncated: true,
    });
  });

  test('tells failures by type', async () => {
    const { session } = await bench(one({ status: 404 }));
    expect(outcomeOf(await session.tool('parse_link', { url: 'http://site.test/' }))).toBe(
      'not_found/http_status',
    );
  });
});

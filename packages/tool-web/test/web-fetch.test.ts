import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  endlessBody,
  neverAnswers,
  redirectTo,
  sendPlain,
  serveRoutes,
} from '@toolwright/safe-http/testing';
import type { HostileBehaviour, PlainResponse } from '@toolwright/safe-http/testing';
import { minimalPdf } from './support/minimal-pdf.ts';
import { outcomeOf, useWebBench } from './support/test-session.ts';

const bench = useWebBench();
const HTML = { 'content-type': 'text/html' };

const one =
  (response: PlainResponse): HostileBehaviour =>
  async (exchange) =>
    sendPlain(exchange, response);

/** Bytes of latin1 text with a hex run in it. */
const withHex = (before: string, hex: string): Buffer =>
  Buffer.concat([Buffer.from(before, 'latin1'), Buffer.from(hex.replaceAll(' ', ''), 'hex')]);

describe('FETCH-001: charset from the header', () => {
  test.each([
    'text/plain; charset=gbk',
    'text/plain; charset="GBK"',
    'text/plain; charset=gb18030',
  ])('%s', async (type) => {
    const { fetch } = await bench(
      one({ body: withHex('', 'c4 e3 ba c3'), headers: { 'content-type': type } }),
    );
    const result = await fetch('/');
    expect(result.output).toBe('你好');
    expect(result.metadata['charset']).toMatch(/^gb/u);
  });
});

describe('FETCH-002: charset only in the page', () => {
  test.each([
    ['<meta charset=Shift_JIS><p>', '93 fa 96 7b', '日本', 'shift_jis'],
    [
      '<meta http-equiv="Content-Type" content="text/html; charset=euc-kr">',
      'c7 d1 b1 db',
      '한글',
      'euc-kr',
    ],
    ['<!-- charset=koi8-r --><meta charset=utf-8><p>', 'd0 b4 d0 b0', 'да', 'utf-8'],
  ])('%s', async (...row) => {
    const [html, hex, text, charset] = row;
    const { fetch } = await bench(one({ body: withHex(html, hex), headers: HTML }));
    const result = await fetch('/');
    expect([result.output, result.metadata['charset']]).toEqual([text, charset]);
  });

  test('a byte order mark comes before the header, the bytes themselves come last', async () => {
    const { fetch } = await bench(
      serveRoutes({
        '/bom': {
          body: withHex('', 'ff fe 60 4f'),
          headers: { 'content-type': 'text/plain; charset=utf-8' },
        },
        '/none': { body: 'plain ä', headers: { 'content-type': 'text/plain' } },
        '/unknown': {
          body: 'plain ä',
          headers: { 'content-type': 'text/plain; charset=x-nonsense' },
        },
      }),
    );
    expect((await fetch('/bom')).output).toBe('你');
    expect((await fetch('/none')).output).toBe('plain ä');
    expect((await fetch('/unknown')).output).toBe('plain ä');
  });
});

test('FETCH-005: a bomb ends as a typed failure', async () => {
  const { fetch, server } = await bench(
    one({
      body: gzipSync(Buffer.alloc(32 * 1024 * 1024)),
      headers: { ...HTML, 'content-encoding': 'gzip' },
    }),
  );
  expect(outcomeOf(await fetch('/'))).toMatch(/^limit_exceeded\//u);
  await expect.poll(() => server.open).toBe(0);
});

describe('FETCH-006: what is no text is never shown as such', () => {
  test.each<[string, string, Uint8Array, string]>([
    ['a damaged PDF', 'application/pdf', Buffer.from('%PDF-1.7\n…'), 'application/pdf'],
    ['a PDF called bytes', 'application/octet-stream', Buffer.from('%PDF-'), 'application/pdf'],
    ['a PDF called HTML', 'text/html', Buffer.from('%PDF-1.4 <p>x'), 'application/pdf'],
    [
      'text with NULs',
      'text/plain',
      Buffer.concat([Buffer.from('text'), Buffer.alloc(200)]),
      'text/plain',
    ],
    [
      'NULs with a charset',
      'text/plain; charset=utf-8',
      Buffer.concat([Buffer.from('text'), Buffer.alloc(200)]),
      'text/plain',
    ],
    ['an archive', 'text/plain', gzipSync('x'), 'application/gzip'],
    ['an image that is none', 'image/png', Buffer.from('not a PNG'), 'image/png'],
    ['a film', 'video/mp4', Buffer.from('anything'), 'video/mp4'],
    [
      'random bytes',
      'application/octet-stream',
      Buffer.from('00ff10abcdef0102', 'hex'),
      'application/octet-stream',
    ],
  ])('%s', async (...row) => {
    const [, type, body, named] = row;
    const { fetch } = await bench(one({ body, headers: { 'content-type': type } }));
    const result = await fetch('/x');
    expect(result.error?.type).toBe('unsupported');
    expect(result.error?.message).toContain(named);
    expect(result.error?.message).toContain(`${String(body.length)} bytes`);
    expect(result.error?.message).toContain('download');
  });

  test('an image is an image', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const { fetch } = await bench(
      one({ body: png, headers: { 'content-type': 'application/octet-stream' } }),
    );
    const result = await fetch('/x');
    expect(result.content).toEqual([
      { type: 'image', data: png.toString('base64'), mimeType: 'image/png' },
    ]);
    expect(result.metadata).toMatchObject({ document_kind: 'image', width: 1, height: 1 });
  });

  test('the text of a PDF is text', async () => {
    const { fetch } = await bench(one({ body: minimalPdf('Hello from a PDF'), headers: HTML }));
    const result = await fetch('/x');
    expect(result.output).toContain('Hello from a PDF');
    expect(result.metadata['document_kind']).toBe('pdf');
  });
});

describe('statuses', () => {
  test.each([
    [404, 'not_found/http_status'],
    [500, 'transport/http_status'],
    [403, 'transport/http_status'],
    [408, 'transport/http_status'],
  ])('%d', async (status, expected) => {
    const { fetch } = await bench(one({ status, body: 'no' }));
    expect(outcomeOf(await fetch('/'))).toBe(expected);
  });

  test.each<[string, number | undefined]>([
    ['120', 120_000],
    ['0', 0],
    ['Mon, 30 Nov 2026 12:00:03 GMT', 3000],
    ['Sun, 29 Nov 2026 12:00:00 GMT', 0],
    ['-5', undefined],
    ['soon', undefined],
    ['Wed, 99 Foo', undefined],
    ['1e9', undefined],
    ['99999999999', 86_400_000],
  ])('FETCH-008: 429 with Retry-After %s', async (value, expected) => {
    const { fetch, server } = await bench(one({ status: 429, headers: { 'retry-after': value } }), {
      clock: () => Date.UTC(2026, 10, 30, 12, 0, 0),
    });
    const result = await fetch('/');
    expect(result.error).toMatchObject({ type: 'rate_limited', retryable: true });
    expect(result.error?.['retry_after_ms']).toBe(expected);
    expect(server.requests.length).toBe(1);
  });

  test.each([
    [204, '', '[The answer (status 204) has no text.]'],
    [200, '', '[The answer (status 200) has no text.]'],
    [200, '<html><body> </body></html>', '[The answer (status 200) has no text.]'],
    [206, '<p>first</p>', 'first\n\n[The server sent a part of the page, not the whole.]'],
  ])('%d with %j is no page without a word about it', async (status, body, expected) => {
    const { fetch } = await bench(one({ status, body, headers: HTML }));
    const result = await fetch('/');
    expect(outcomeOf(result)).toBe('ok');
    expect(result.output.trim()).toBe(expected);
    expect(result.metadata['notes']).toHaveLength(1);
  });

  test('the limits of time and size are typed', async () => {
    const { fetch } = await bench(
      serveRoutes({ '/hang': neverAnswers, '/flood': endlessBody(Buffer.alloc(65_536, 'x')) }),
    );
    expect(outcomeOf(await fetch('/hang', { timeout: 1 }))).toBe('timeout/');
    expect(outcomeOf(await fetch('/flood'))).toBe('limit_exceeded/body_too_large');
  });
});

test.each([
  ['application/xhtml+xml; charset=utf-8', 'before\n\nafter'],
  // Served as HTML, the script goes on to the end, as in browsers.
  ['text/html; charset=utf-8', 'before'],
])('an empty element of a page served as %s', async (type, expected) => {
  const body = '<html><body><p>before</p><script src="/a.js"/><p>after</p></body></html>';
  const { fetch } = await bench(one({ body, headers: { 'content-type': type } }));
  expect((await fetch('/')).output.split('\n\n[')[0]).toBe(expected);
});

test.each([
  'http://site.test\\@127.0.0.1/',
  'http://127.0.0.1\\@site.test/',
  'http://si\nte.test/',
  'http://site.test\t/',
])('a URL that parsers read in two ways is refused: %j', async (url) => {
  const { session, server } = await bench(one({ body: 'no', headers: HTML }));
  const result = await session.tool('web_fetch', { url });
  expect(outcomeOf(result)).toMatch(
    /^(?:invalid_argument\/bad_url|permission_denied\/address_refused)$/u,
  );
  expect(server.connections).toBe(0);
});

describe('where the page is', () => {
  test('FETCH-009: links are relative to the URL that answered', async () => {
    const { fetch } = await bench(
      serveRoutes({
        '/a': redirectTo('/b/page.html?token=s', 301),
        '/b/page.html': { body: '<a href="x.html">t</a>', headers: HTML },
      }),
    );
    const result = await fetch('/a');
    expect(result.output).toBe('[t](http://site.test/b/x.html)');
    expect(result.metadata).toMatchObject({
      source_anchors: ['http://site.test/a', 'http://site.test/b/page.html'],
      status: 200,
    });
    expect(JSON.stringify(result.metadata)).not.toContain('token=s');
  });

  test('FETCH-013: meta refresh, short and elsewhere', async () => {
    const refresh = (content: string): PlainResponse => ({
      body: `<meta http-equiv="refresh" content="${content}"><p>old`,
      headers: HTML,
    });
    const { fetch, server } = await bench(
      serveRoutes({
        '/real': { body: '<p>real', headers: HTML },
        '/1': refresh('0; url=/real'),
        '/2': refresh(`1;URL='/real'`),
        '/3': refresh('5'),
        '/4': refresh('0;url=http://127.0.0.1:1/'),
        '/5': {
          body: '<noscript><meta http-equiv="refresh" content="0; url=/real"></noscript>',
          headers: HTML,
        },
        '/6': refresh('0; url=http://other.test/real'),
        '/7': refresh('0; url=/8'),
        '/8': refresh('0; url=/7'),
        '/9': refresh('0; url=/9'),
      }),
    );
    expect((await fetch('/1')).output).toBe('real');
    expect((await fetch('/2')).output).toBe('real');
    expect((await fetch('/3')).output).toBe('old');
    expect(outcomeOf(await fetch('/4'))).toBe('permission_denied/address_refused');
    expect((await fetch('/5')).output).toBe('real');
    expect((await fetch('/6')).metadata['source_anchors']).toEqual([
      'http://site.test/6',
      'http://other.test/real',
    ]);
    const before = server.requests.length;
    expect(outcomeOf(await fetch('/7'))).toBe('transport/too_many_redirects');
    expect(server.requests.length - before).toBeLessThanOrEqual(11);
    expect((await fetch('/9')).output).toBe('old');
  });

  test('a private address is refused before anything is opened', async () => {
    const { session, server } = await bench(one({ body: 'secret' }));
    const result = await session.tool('web_fetch', { url: `http://${server.endpoint}/` });
    expect(outcomeOf(result)).toBe('permission_denied/address_refused');
    expect(server.connections).toBe(0);
  });

  test('the query is sent whole, the fragment never', async () => {
    const { fetch, server } = await bench(
      one({ body: 'x', headers: { 'content-type': 'text/plain' } }),
    );
    await fetch('/p?key=1&token=2&q=a%20b#frag');
    expect(server.requests[0]?.target).toBe('/p?key=1&token=2&q=a%20b');
  });
});

test('FETCH-010: a page of scripts is never an empty success', async () => {
  const { fetch } = await bench(
    one({
      body: '<html><body><noscript>need js</noscript><div id=app></div><script src="/a.js"></script></body></html>',
      headers: HTML,
    }),
  );
  const result = await fetch('/');
  expect(result.output).toMatch(/^need js\n\n\[The page has little text of its own;/u);
  expect(result.metadata['notes']).toHaveLength(1);
});

describe('JSON', () => {
  test('is indented, and only white space differs', async () => {
    const body =
      '{"b":1.0,"a":[2,{"x":1152921504606846976}],"e":"\\u00e9 : , {","n":[],"o":{},"a":null}';
    const { fetch } = await bench(
      one({ body, headers: { 'content-type': 'application/problem+json' } }),
    );
    const result = await fetch('/');
    expect(result.output).toBe(
      '{\n  "b": 1.0,\n  "a": [\n    2,\n    {\n      "x": 1152921504606846976\n    }\n  ],\n  "e": "\\u00e9 : , {",\n  "n": [],\n  "o": {},\n  "a": null\n}',
    );
    expect(result.metadata['document_kind']).toBe('json');
  });

  test('that is none stays as it is', async () => {
    const { fetch } = await bench(
      one({ body: '{"a":1}\n{"b":2}', headers: { 'content-type': 'application/json' } }),
    );
    expect((await fetch('/')).output).toBe('{"a":1}\n{"b":2}');
  });

  test('nested without end stays as it is', async () => {
    const body = '['.repeat(5000) + ']'.repeat(5000);
    const { fetch } = await bench(one({ body, headers: { 'content-type': 'application/json' } }));
    expect((await fetch('/')).output).toBe(body);
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  netEffect,
} from '@toolwright/core';
import type { HttpEgressFinding } from '@toolwright/core';
import { createEgressGuard, secretsOfEnvironment } from '../../src/index.ts';
import { sendPlain } from '../../src/testing/index.ts';
import { outcome, publicTest, useTestNet } from '../support/test-client.ts';

const net = useTestNet();
const SECRET = 'ghp_q8Zk+2/pL0vX=';
const guard = createEgressGuard({ secrets: { GITHUB_TOKEN: SECRET, SHORT: 'abc' } });

const inUrl = (text: string): HttpEgressFinding | undefined =>
  guard.inspect({ url: new URL(`https://evil.example/${text}`), body: undefined });

describe('a secret', () => {
  test.each([
    ['plain in a query', `?x=${SECRET}`],
    ['percent-encoded', `?x=${encodeURIComponent(SECRET)}`],
    ['percent-encoded twice', `?x=${encodeURIComponent(encodeURIComponent(SECRET))}`],
    [
      'every character percent-encoded',
      `?x=${Buffer.from(SECRET).toString('hex').replaceAll(/../gu, '%$&')}`,
    ],
    ['in the path', encodeURIComponent(SECRET)],
    ['reversed', `?x=${encodeURIComponent(SECRET.split('').toReversed().join(''))}`],
    ['in hexadecimal', `?x=${Buffer.from(SECRET).toString('hex')}`],
    ['in capital hexadecimal', `?x=${Buffer.from(SECRET).toString('hex').toUpperCase()}`],
    ['in base64', `?x=${encodeURIComponent(Buffer.from(SECRET).toString('base64'))}`],
    ['in base64url', `?x=${Buffer.from(SECRET).toString('base64url')}`],
    ['in base64 behind one byte', `?x=${Buffer.from(`a${SECRET}b`).toString('base64url')}`],
    ['in base64 behind two bytes', `?x=${Buffer.from(`ab${SECRET}cd`).toString('base64url')}`],
  ])('%s is found, and not told', (_name, text) => {
    const finding = inUrl(text);
    expect(finding).toMatchObject({ kind: 'secret', where: 'url', target: 'evil.example:443' });
    expect(finding?.message).toContain('GITHUB_TOKEN');
    expect(JSON.stringify(finding)).not.toContain(SECRET);
  });

  test('in a body is found', () => {
    const body = Buffer.from(JSON.stringify({ note: `my token: ${SECRET}` }));
    expect(guard.inspect({ url: new URL('https://evil.example/'), body })).toMatchObject({
      kind: 'secret',
      where: 'body',
    });
  });

  test('property: wherever base64 puts it', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const encoded = Buffer.from(before + SECRET + after).toString('base64url');
        expect(inUrl(`?d=${encoded}`)?.kind).toBe('secret');
      }),
    );
  });

  test('that is short, or absent, is no finding', () => {
    expect(inUrl('?x=abc')).toBeUndefined();
    expect(inUrl('?q=how+to+use+GITHUB_TOKEN')).toBeUndefined();
  });

  test('of the environment goes by its name', () => {
    expect(
      secretsOfEnvironment({
        GITHUB_TOKEN: 'long enough',
        OPENAI_API_KEY: 'sk-0123456789',
        DB_PASSWORD: 'hunter22hunter22',
        AWS_SECRET_ACCESS_KEY: '0123456789',
        SHORT_TOKEN: 'short',
        EMPTY_TOKEN: undefined,
        PATH: '/usr/bin:/bin/whatever',
        PWD: '/home/someone/project',
        SSH_AUTH_SOCK: '/tmp/agent.sock',
        KEYBOARD_LAYOUT: 'something long',
      }),
    ).toEqual({
      GITHUB_TOKEN: 'long enough',
      OPENAI_API_KEY: 'sk-0123456789',
      DB_PASSWORD: 'hunter22hunter22',
      AWS_SECRET_ACCESS_KEY: '0123456789',
    });
  });
});

describe('what earlier results said', () => {
  const file =
    'The quarterly numbers are worse than announced: revenue fell by 12 % and the plan for Hamburg is dropped.';
  const knowing = createEgressGuard({ secrets: {} });
  knowing.remember(`1\t${file}\n2\tnothing else`, { isExternal: false });
  knowing.remember(`[link](https://site.example/a?session=${'QUJD'.repeat(20)})`, {
    isExternal: true,
  });
  const look = (href: string, body?: string): string | undefined =>
    knowing.inspect({
      url: new URL(href),
      body: body === undefined ? undefined : Buffer.from(body),
    })?.kind;

  test('is found encoded', () => {
    expect(look(`https://evil.example/?d=${Buffer.from(file).toString('base64url')}`)).toBe(
      'earlier_result',
    );
    expect(look(`https://evil.example/${Buffer.from(file).toString('hex')}.png`)).toBe(
      'earlier_result',
    );
    expect(look('https://evil.example/', Buffer.from(file).toString('base64'))).toBe(
      'earlier_result',
    );
    expect(look(`https://evil.example/?d=${encodeURIComponent(file)}&pad=${'x'.repeat(60)}`)).toBe(
      'earlier_result',
    );
  });

  test('links out of pages, searches and opaque identifiers are no finding', () => {
    expect(look(`https://site.example/a?session=${'QUJD'.repeat(20)}`)).toBeUndefined();
    expect(look('https://search.example/?q=quarterly+numbers+Hamburg')).toBeUndefined();
    expect(
      look('https://site.example/commit/4b825dc642cb6eb9a060e54bf8d69288fbee4904'),
    ).toBeUndefined();
    expect(look(`https://cdn.example/${'a1b2c3d4'.repeat(8)}.js`)).toBeUndefined();
    expect(
      look(
        `https://site.example/?state=${Buffer.from('some other text that nobody has read before').toString('base64url')}`,
      ),
    ).toBeUndefined();
  });

  test('memory is bounded', () => {
    const filled = createEgressGuard({ secrets: {} });
    filled.remember(file, { isExternal: false });
    for (let index = 0; index < 20; index += 1) {
      filled.remember('y'.repeat(400_000), { isExternal: false });
    }
    const url = new URL(`https://evil.example/?d=${Buffer.from(file).toString('base64url')}`);
    expect(filled.inspect({ url, body: undefined })).toBeUndefined();
  });
});

describe('in the transport', () => {
  test('a finding is refused before anything is resolved, unless the caller is asked and agrees', async () => {
    const server = await net.serve(async (exchange) => sendPlain(exchange, { body: 'got it' }));
    let resolved = 0;
    const guarded = net.client({
      ...publicTest(server),
      egress: guard,
      resolver: async () => {
        resolved += 1;
        return [];
      },
    });
    const url = `http://unknown.test/?x=${encodeURIComponent(SECRET)}`;
    expect(await outcome(guarded, url)).toBe('permission_denied/egress');
    expect(resolved).toBe(0);
    const seen: HttpEgressFinding[] = [];
    const agreed = await outcome(guarded, {
      url: `http://public.test/?x=${encodeURIComponent(SECRET)}`,
      onEgress: async (finding) => {
        seen.push(finding);
      },
    });
    expect(agreed).toBe('200 got it');
    expect(seen).toHaveLength(1);
    expect(await outcome(guarded, 'http://public.test/harmless')).toBe('200 got it');
  });

  test('through the kernel a hit asks, although policy allows the host, and opens nothing else', async () => {
    const server = await net.serve(async (exchange) => sendPlain(exchange, { body: 'got it' }));
    const open = defineTool({
      name: 'open',
      description: 'Opens a URL.',
      input: {
        type: 'object',
        additionalProperties: false,
        required: ['url'],
        properties: { url: { type: 'string' } },
      },
      requires: ['http'],
      effects: (input) => [netEffect(input.url)],
      run: async (input, context) => {
        const response = await context.http.request({ url: input.url });
        await response.cancel();
        const elsewhere = await context.http
          .request({ url: 'http://elsewhere.test/' })
          .catch((error: unknown) => String(error));
        return { output: typeof elsewhere === 'string' ? elsewhere : 'went elsewhere' };
      },
    });
    const asked: string[] = [];
    const session = await createHost({
      providers: [defineProvider({ name: 'opener', version: '1.0.0', tools: [open] })],
      policy: { allow: ['net:public.test'] },
      hooks: [guard.hooks],
    }).open({
      workspace: memoryWorkspace(),
      services: { http: net.client({ ...publicTest(server), egress: guard }) },
      approver: async (request) => {
        asked.push(JSON.stringify(request));
        return asked.length === 1 ? { decision: 'reject' } : { decision: 'approve' };
      },
    });
    const call = {
      name: 'open',
      arguments: { url: `http://public.test/?x=${encodeURIComponent(SECRET)}` },
    };
    const denied = await session.invoke(call);
    expect(denied.error?.type).toBe('confirmation_rejected');
    expect(server.requests).toEqual([]);
    const approved = await session.invoke(call);
    expect(approved.output).toContain('did not declare');
    expect(server.requests).toHaveLength(1);
    expect(asked).toHaveLength(2);
    const harmless = await session.invoke({
      name: 'open',
      arguments: { url: 'http://public.test/' },
    });
    expect(harmless.error).toBeNull();
    expect(asked).toHaveLength(2);
    await session.close();
  });
});

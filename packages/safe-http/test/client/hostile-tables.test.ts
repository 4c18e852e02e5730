import { describe, expect, test } from 'vitest';
import { ToolError } from '@toolwright/core';
import type { HttpClient } from '@toolwright/core';
import { judgeAddress } from '../../src/address/judge-address.ts';
import { createHttpClient } from '../../src/index.ts';
import type { HttpClientOptions } from '../../src/index.ts';
import { redirectTo, serveRoutes } from '../../src/testing/index.ts';
import { HOSTILE_ANSWERS } from '../tables/hostile-answers.ts';
import { HOSTILE_URLS } from '../tables/hostile-urls.ts';
import { PUBLIC_URLS } from '../tables/public-urls.ts';
import { PUBLIC, publicTest, readAll, useTestNet } from '../support/test-client.ts';

const net = useTestNet();

/** A client that dials nothing and writes down whom it would have dialled. */
function recordingClient(options: HttpClientOptions = {}): {
  client: HttpClient;
  dialled: string[];
} {
  const dialled: string[] = [];
  const client = createHttpClient({
    resolver: async () => [PUBLIC],
    ...options,
    connector: async ({ address }) => {
      dialled.push(address);
      throw new Error('Nothing is dialled in this test.');
    },
  });
  return { client, dialled };
}

async function refusalOf(client: HttpClient, url: string): Promise<string> {
  try {
    const response = await client.request({ url });
    await readAll(response.body);
    return 'got through';
  } catch (error) {
    return ToolError.isInstance(error) ? error.type : String(error);
  }
}

const REFUSED = ['permission_denied', 'invalid_argument'];

test('the tables are as long as promised', () => {
  expect(new Set(HOSTILE_URLS).size).toBeGreaterThanOrEqual(300);
  expect(new Set(PUBLIC_URLS).size).toBeGreaterThanOrEqual(60);
});

describe('every hostile URL', () => {
  test('is refused as the first URL of a request', async () => {
    const { client, dialled } = recordingClient();
    const through: string[] = [];
    for (const url of HOSTILE_URLS) {
      if (!REFUSED.includes(await refusalOf(client, url))) {
        through.push(url);
      }
    }
    expect(through).toEqual([]);
    expect(dialled).toEqual([]);
  });

  test('is refused through a proxy too', async () => {
    const proxied = net.client({ proxy: `http://${net.canary.endpoint}` });
    const through: string[] = [];
    for (const url of HOSTILE_URLS) {
      if (!REFUSED.includes(await refusalOf(proxied, url))) {
        through.push(url);
      }
    }
    expect(through).toEqual([]);
    expect(net.canary.connections).toBe(0);
  });

  test('is refused as the target of a redirect', { timeout: 60_000 }, async () => {
    // Relative texts stay on the public server that sent them, and end there.
    const absolute = HOSTILE_URLS.map((url) => url.trim()).filter(
      (url) => /^[a-z][a-z+.-]*:/iu.test(url) && !/^https?:(?!\/\/)/iu.test(url),
    );
    const sendable = absolute.filter(
      (url) => !/[\r\n\0]/u.test(url) && Buffer.from(url).length === url.length,
    );
    const server = await net.serve(
      serveRoutes(
        Object.fromEntries(sendable.map((url, index) => [`/${String(index)}`, redirectTo(url)])),
      ),
    );
    const options = publicTest(server);
    const redirected = net.client(options);
    const through: string[] = [];
    for (const [index, url] of sendable.entries()) {
      const refusal = await refusalOf(redirected, `http://public.test/${String(index)}`);
      if (!REFUSED.includes(refusal)) {
        through.push(`${url}: ${refusal}`);
      }
    }
    expect(sendable.length).toBeGreaterThan(230);
    expect(through).toEqual([]);
  });
});

test('every hostile answer refuses a name, alone, before and after a public one', async () => {
  const through: string[] = [];
  for (const answer of HOSTILE_ANSWERS) {
    for (const answers of [[answer], [answer, PUBLIC], [PUBLIC, answer]]) {
      const { client, dialled } = recordingClient({ resolver: async () => answers });
      if (
        (await refusalOf(client, 'http://name.test/')) !== 'permission_denied' ||
        dialled.length > 0
      ) {
        through.push(answers.join(' '));
      }
    }
  }
  expect(through).toEqual([]);
});

test('every public URL is dialled, and at a public address', async () => {
  const refused: string[] = [];
  for (const url of PUBLIC_URLS) {
    const { client, dialled } = recordingClient();
    if ((await refusalOf(client, url)) !== 'transport' || dialled.length !== 1) {
      refused.push(url);
    }
    expect(dialled.filter((address) => !judgeAddress(address).isPublic)).toEqual([]);
  }
  expect(refused).toEqual([]);
});

import { mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHost } from '@toolwright/core';
import type { HttpClient } from '@toolwright/core';
import { createHttpClient } from '@toolwright/safe-http';
import { serveFile, startHostileServer } from '@toolwright/safe-http/testing';
import { localWorkspace } from '@toolwright/workspace-local';
import { download } from '../src/index.ts';
import { noise } from './support/test-session.ts';

const PUBLIC = '93.184.216.34';
const BYTES = noise(5_000_000);

/** Tells of each step of each exchange: a request begins, its head has come, a chunk has come, its body has ended. */
function stepping(client: HttpClient, onStep: () => void): HttpClient {
  return {
    close: async () => client.close(),
    request: async (request) => {
      // What was begun is to be told of before it is over.
      const answer = client.request(request);
      onStep();
      const response = await answer;
      onStep();
      const body = (async function* pass() {
        for await (const chunk of response.body) {
          onStep();
          yield chunk;
        }
        onStep();
      })();
      return { ...response, body };
    },
  };
}

/** Files below `root` that this process holds open; none where the system does not tell. */
async function openFiles(root: string): Promise<readonly string[]> {
  const names = await readdir('/proc/self/fd').catch(() => []);
  const targets = await Promise.all(
    names.map(async (name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith(root));
}

interface Ending {
  readonly error: string | undefined;
  readonly steps: number;
  readonly content: 'old' | 'new' | 'other';
  readonly names: readonly string[];
  readonly files: readonly string[];
}

async function cancelAt(step: number, connections: number): Promise<Ending> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolwright-cancel-')));
  const server = await startHostileServer(serveFile({ bytes: BYTES, headers: { etag: '"v1"' } }));
  const client = createHttpClient({
    resolve: { 'files.test': [PUBLIC] },
    connect: { [`${PUBLIC}:80`]: server.endpoint },
  });
  const controller = new AbortController();
  let steps = 0;
  const http = stepping(client, () => {
    steps += 1;
    if (steps === step) {
      controller.abort();
    }
  });
  const workspace = localWorkspace(root);
  const session = await createHost({ providers: [download({ retryDelayMs: 1 })] }).open({
    workspace,
    services: { http },
  });
  try {
    await writeFile(join(root, 'target'), 'old');
    const result = await session.tool(
      'download',
      { url: 'http://files.test/x', file_path: 'target', overwrite: true, connections },
      { signal: controller.signal },
    );
    // Connections that serve other requests may stay; none of a body that was left.
    await client.close();
    await expect.poll(() => server.open, { interval: 5 }).toBe(0);
    const content = await readFile(join(root, 'target'));
    return {
      error: result.error?.type,
      steps,
      content: content.equals(BYTES) ? 'new' : content.toString() === 'old' ? 'old' : 'other',
      names: await readdir(root),
      files: await openFiles(root),
    };
  } finally {
    await session.close();
    await workspace.close();
    await server.close();
    await rm(root, { recursive: true });
  }
}

test.each([1, 2])(
  'over %d connections, cancelled at every step: the old file, no residue, nothing open',
  { timeout: 60_000 },
  async (connections) => {
    const endings: string[] = [];
    for (let step = 1; step <= 60; step += 1) {
      const ending = await cancelAt(step, connections);
      const { error, content, names, files } = ending;
      expect({ step, names, files }).toEqual({ step, names: ['target'], files: [] });
      endings.push(`${error ?? 'ok'} ${content}`);
      if (ending.steps < step) {
        break;
      }
    }
    expect(new Set(endings)).toEqual(new Set(['cancelled old', 'ok new']));
    expect(endings[0]).toBe('cancelled old');
  },
);

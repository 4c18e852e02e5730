import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHost } from '@toolwright/core';
import type { HttpClient } from '@toolwright/core';
import { createHttpClient } from '@toolwright/safe-http';
import { serveFile, startHostileServer } from '@toolwright/safe-http/testing';
import { localWorkspace } from '@toolwright/workspace-local';
import { download } from '../src/index.ts';
import { faultSchedule } from './support/fault-schedule.ts';
import type { FaultSchedule } from './support/fault-schedule.ts';
import { noise, sha256 } from './support/test-session.ts';

const RUNS = process.env['TOOLWRIGHT_LONG'] === '1' ? 1000 : 120;
const MIB = 1024 * 1024;
const PUBLIC = '93.184.216.34';
const VERSION_1 = noise(4_500_000, 1);
const VERSION_2 = noise(4_500_000, 2);

interface Ending {
  readonly error: string | undefined;
  /** The target afterwards; `undefined` when it is absent. */
  readonly content: Buffer | undefined;
  /** Other names in the directory, those of bytes kept on purpose left out. */
  readonly residue: readonly string[];
  readonly openSockets: number;
}

async function play(schedule: FaultSchedule): Promise<Ending> {
  const root = await mkdtemp(join(tmpdir(), 'toolwright-download-'));
  const server = await startHostileServer(async (exchange) => {
    const { index } = exchange.request;
    const { changesAt = Infinity, changesBackAt } = schedule;
    const isChanged = index >= changesAt && index < changesBackAt;
    const version = isChanged ? VERSION_2 : VERSION_1;
    const headers =
      isChanged && schedule.headers['etag'] === '"v1"' ? { etag: '"v2"' } : schedule.headers;
    await serveFile({
      bytes: version.subarray(0, schedule.size),
      headers: isChanged && headers === schedule.headers ? {} : headers,
      fault: () => schedule.faults[index],
    })(exchange);
  });
  const controller = new AbortController();
  const client = createHttpClient({
    resolve: { 'files.test': [PUBLIC] },
    connect: { [`${PUBLIC}:80`]: server.endpoint },
  });
  const workspace = localWorkspace(root);
  const session = await createHost({ providers: [download({ retryDelayMs: 1 })] }).open({
    workspace,
    services: { http: cancelling(client, schedule.cancelAfter, controller) },
  });
  try {
    if (schedule.old !== undefined) {
      await writeFile(join(root, 'target'), schedule.old);
    }
    const right = sha256(VERSION_1.subarray(0, schedule.size));
    const digest =
      schedule.digest === 'none'
        ? {}
        : { expected_sha256: schedule.digest === 'right' ? right : sha256('wrong') };
    const result = await session.tool(
      'download',
      { url: 'http://files.test/x', file_path: 'target', ...schedule.args, ...digest },
      { signal: controller.signal },
    );
    await session.close();
    await client.close();
    await expect.poll(() => server.open, { interval: 5 }).toBe(0);
    const names = await readdir(root);
    const isKept = (name: string): boolean =>
      schedule.args['resume'] === true && name.startsWith('.tw-kept-');
    return {
      error: result.error?.type,
      content: names.includes('target') ? await readFile(join(root, 'target')) : undefined,
      residue: names.filter((name) => name !== 'target' && !isKept(name)),
      openSockets: server.open,
    };
  } finally {
    await session.close();
    await workspace.close();
    await client.close();
    await server.close();
    await rm(root, { recursive: true });
  }
}

/** HTTP ends a body at its declared length: without a digest, a server that declares less has sent a shorter file. */
function shortened(schedule: FaultSchedule, versions: readonly Buffer[]): readonly Buffer[] {
  const lengths = schedule.faults.map((fault) => Number(fault?.contentLength ?? schedule.size));
  return lengths.flatMap((length) => versions.map((bytes) => bytes.subarray(0, length)));
}

/** Cancels when that many bytes of bodies have been taken. */
function cancelling(
  client: HttpClient,
  after: number | undefined,
  controller: AbortController,
): HttpClient {
  let taken = 0;
  return {
    close: async () => client.close(),
    request: async (request) => {
      const response = await client.request(request);
      const body = (async function* pass() {
        for await (const chunk of response.body) {
          taken += chunk.length;
          if (after !== undefined && taken > after) {
            controller.abort();
          }
          yield chunk;
        }
      })();
      return { ...response, body };
    },
  };
}

test(
  `${String(RUNS)} random fault schedules end in the old file, the exact new one, or none`,
  { timeout: 600_000 },
  async () => {
    let goodEndings = 0;
    global.gc?.();
    const idle = process.memoryUsage().rss;
    let highest = idle;
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const schedule = faultSchedule(seed);
      const ending = await play(schedule);
      highest = Math.max(highest, process.memoryUsage().rss);
      const versions = [VERSION_1, VERSION_2].map((bytes) => bytes.subarray(0, schedule.size));
      const wanted =
        schedule.digest === 'right'
          ? versions.slice(0, 1)
          : [...versions, ...shortened(schedule, versions)];
      const isExact =
        ending.error === undefined
          ? wanted.some((bytes) => ending.content?.equals(bytes) === true)
          : ending.content?.toString() === schedule.old;
      expect({ seed, isExact, residue: ending.residue, openSockets: ending.openSockets }).toEqual({
        seed,
        isExact: true,
        residue: [],
        openSockets: 0,
      });
      expect({
        seed,
        isRefused: schedule.digest !== 'wrong' || ending.error !== undefined,
      }).toEqual({ seed, isRefused: true });
      goodEndings += ending.error === undefined ? 1 : 0;
    }
    // Faults everywhere must not mean failure everywhere: a third of the schedules can be survived.
    expect(goodEndings).toBeGreaterThan(RUNS / 4);
    expect((highest - idle) / MIB).toBeLessThan(RUNS > 200 ? 256 : 192);
  },
);

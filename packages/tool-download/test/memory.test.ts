import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { responseHead, serveFile, startHostileServer } from '@toolwright/safe-http/testing';
import type { HostileBehaviour } from '@toolwright/safe-http/testing';
import { bundleChild } from './support/bundle-child.ts';
import { faultSchedule } from './support/fault-schedule.ts';
import { noise } from './support/test-session.ts';

const SCHEDULES = process.env['TOOLWRIGHT_LONG'] === '1' ? 1000 : 40;
const MIB = 1024 * 1024;
const LARGE = Buffer.alloc(160 * MIB, noise(MIB));
const SMALL = noise(4_500_000, 1);
const HEADERS = { etag: '"v1"' };

const endless: HostileBehaviour = async ({ write }) => {
  await write(responseHead(200, { 'content-type': 'application/octet-stream' }));
  for (let sent = 0; sent < LARGE.length; sent += MIB) {
    await write(LARGE.subarray(0, MIB));
  }
};

/** Answers as the path says; the requests of each schedule are counted by themselves. */
function serve(): HostileBehaviour {
  const counts = new Map<string, number>();
  const fixed: Readonly<Record<string, HostileBehaviour>> = {
    '/large': serveFile({ bytes: LARGE, headers: HEADERS }),
    '/chunked': serveFile({ bytes: LARGE, headers: HEADERS, fault: () => ({ chunked: true }) }),
    '/endless': endless,
    '/warm-up': serveFile({ bytes: SMALL, headers: HEADERS }),
  };
  return async (exchange) => {
    const { target } = exchange.request;
    const known = fixed[target];
    if (known !== undefined) {
      await known(exchange);
      return;
    }
    const index = counts.get(target) ?? 0;
    counts.set(target, index + 1);
    const { size, headers, faults } = faultSchedule(Number(target.split('/').at(-1)));
    const fault = faults[index];
    await serveFile({ bytes: SMALL.subarray(0, size), headers, fault: () => fault })(exchange);
  };
}

test(
  `large, endless and ${String(SCHEDULES)} faulty downloads take less than 64 MiB above idle`,
  { timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolwright-memory-'));
    const server = await startHostileServer(serve());
    onTestFinished(async () => {
      await server.close();
      await rm(folder, { recursive: true });
    });
    await mkdir(join(folder, 'root'));
    const script = await bundleChild('memory-child', folder);
    const args = [script, join(folder, 'root'), server.endpoint, String(SCHEDULES)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { outcomes, grownBytes } = JSON.parse(stdout);
    expect(outcomes).toEqual({
      sequential: 'ok',
      parallel: 'ok',
      chunked: 'ok',
      endless: 'limit_exceeded/body_too_large',
    });
    expect(grownBytes / MIB).toBeLessThan(64);
  },
);

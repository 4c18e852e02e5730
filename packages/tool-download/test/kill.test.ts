import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  neverAnswers,
  responseHead,
  serveFile,
  startHostileServer,
} from '@toolwright/safe-http/testing';
import { bundleChild } from './support/bundle-child.ts';
import { noise, sha256 } from './support/test-session.ts';

let folder = '';
let script = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwright-kill-'));
  script = await bundleChild('download-child', folder);
}, 60_000);

afterAll(async () => {
  await rm(folder, { recursive: true });
});

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function ending(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, 'close');
  return output;
}

test.each([false, true])(
  'a process killed during a download (resume: %s) leaves a state from which the next call ends well',
  { timeout: 30_000 },
  async (resume) => {
    const bytes = noise(300_000);
    const root = join(folder, `root-${String(resume)}`);
    const state = join(folder, `state-${String(resume)}`);
    const { mkdir } = await import('node:fs/promises');
    await mkdir(root);
    let isStalling = true;
    const server = await startHostileServer(async (exchange) => {
      if (isStalling && exchange.request.headers['range'] !== 'bytes=0-0') {
        const head = responseHead(200, { etag: '"v1"', 'content-length': String(bytes.length) });
        await exchange.write(head);
        await exchange.write(bytes.subarray(0, 100_000));
        await neverAnswers(exchange);
        return;
      }
      await serveFile({ bytes, headers: { etag: '"v1"' } })(exchange);
    });
    const call = JSON.stringify({ url: 'http://files.test/x', file_path: 'sub/target', resume });
    const args = [root, state, server.endpoint, call];
    const first = start(args);
    await expect
      .poll(async () => readdir(root, { recursive: true }), { timeout: 10_000 })
      .not.toEqual([]);
    await expect.poll(() => server.requests.length, { timeout: 10_000 }).toBe(2);
    first.kill('SIGKILL');
    await once(first, 'close');
    expect(await readdir(root, { recursive: true })).not.toContain('sub/target');

    isStalling = false;
    const result: unknown = JSON.parse(await ending(start(args)));
    expect(result).toMatchObject({ error: null, metadata: { bytes: bytes.length } });
    expect((await readdir(root, { recursive: true })).toSorted()).toEqual([
      'sub',
      join('sub', 'target'),
    ]);
    expect(sha256(await readFile(join(root, 'sub', 'target')))).toBe(sha256(bytes));
    await server.close();
  },
);

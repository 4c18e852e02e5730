import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { chromium } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundleForBrowser } from './bundle.ts';
import { runScenario } from './scenario.ts';

/** Code is not generated from text, as on platforms and pages that forbid it. */
const strictPolicy = "default-src 'none'; script-src 'self'; worker-src 'self'";

/** The Chromium of this machine, which `npm test` has installed. */
const executablePath = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(isExecutable);

let script: string;

beforeAll(async () => {
  script = await bundleForBrowser('scenario.ts', 'anywhere');
});

test('the bundle holds no built-in of Node, and bundling what needs one fails', async () => {
  expect(script).not.toMatch(/\b(?:require|import)\s*\(\s*["']node:|from\s*["']node:/);
  const folder = mkdtempSync(join(tmpdir(), 'tw-anywhere-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'needs-node.ts');
  writeFileSync(file, "export { readFileSync } from 'node:fs';\n");
  await expect(bundleForBrowser(file, 'reading')).rejects.toThrow(
    /needs-node\.ts imports node:fs, which no browser has/,
  );
});

test('in Node the session shows each kind of outcome', async () => {
  const { results, verdicts } = await runScenario();
  expect(results.map(({ id, error }) => [id, error?.type ?? null])).toEqual([
    ['plain', null],
    ['repaired', null],
    ['invalid', 'invalid_argument'],
    ['denied', 'permission_denied'],
    ['asked', 'confirmation_rejected'],
    ['allowed', null],
    ['read back', null],
    ['projected', null],
    ['unknown', 'unknown_tool'],
  ]);
  expect(results[0]?.output).toBe('0 é😀 [REDACTED]\n');
  expect(results[7]?.metadata).toMatchObject({
    a3s_tool_result_evidence: { loss_mode: 'bounded_preview' },
  });
  expect(verdicts).toEqual([true, false, false, false]);
});

test('a worker without anything of Node comes to the same, digests included', async () => {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     for (const name of ['process', 'Buffer', 'global', 'setImmediate', 'clearImmediate']) delete globalThis[name];
     // At the top: neither require nor module are in sight there.
     (0, eval)(${JSON.stringify(script)} + '\\n;globalThis.anywhere = anywhere');
     const known = typeof process + typeof Buffer + typeof global;
     globalThis.anywhere.runScenario().then((outcome) => parentPort.postMessage({ known, outcome }));`,
    { eval: true },
  );
  onTestFinished(async () => void (await worker.terminate()));
  const [{ known, outcome }] = await once(worker, 'message');
  expect(known).toBe('undefinedundefinedundefined');
  expect(outcome).toEqual(await runScenario());
});

test('a page of a real browser and a worker of it come to the same, digests included', async () => {
  const origin = await serve({
    '/': ['text/html', '<!doctype html><script src="/anywhere.js"></script>'],
    '/anywhere.js': ['text/javascript', script],
    '/worker.js': [
      'text/javascript',
      `importScripts('/anywhere.js'); anywhere.runScenario().then((outcome) => postMessage(outcome));`,
    ],
  });
  if (executablePath === undefined) throw new Error('There is no Chromium; npm test installs it.');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(origin);
  const inNode = await runScenario();
  expect(await page.evaluate('anywhere.runScenario()')).toEqual(inNode);
  const inWorker = await page.evaluate(
    `new Promise((resolve, reject) => {
       const worker = new Worker('/worker.js');
       worker.onmessage = ({ data }) => resolve(data);
       worker.onerror = ({ message }) => reject(new Error(message));
     })`,
  );
  expect(inWorker).toEqual(inNode);
});

/** A loopback server of some pages under the strict policy; its origin. */
async function serve(
  pages: Readonly<Record<string, readonly [type: string, body: string]>>,
): Promise<string> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    response.writeHead(page === undefined ? 404 : 200, {
      'content-type': `${page?.[0] ?? 'text/plain'}; charset=utf-8`,
      'content-security-policy': strictPolicy,
    });
    response.end(page?.[1]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It has no port.');
  return `http://127.0.0.1:${address.port}/`;
}

function isExecutable(path: string | undefined): path is string {
  try {
    accessSync(path ?? '', constants.X_OK);
    return path !== undefined;
  } catch {
    return false;
  }
}

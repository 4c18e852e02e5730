import { accessSync, constants, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '@toolwright/core';
import { serveRoutes, startHostileServer } from '@toolwright/safe-http/testing';
import { commandLine } from './session.ts';

/** The Chromium of this machine; where there is none, the test asserts what a host without a browser gets. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  },
);

async function renderWith(browser: JsonObject | undefined, path = process.env['PATH'] ?? '') {
  const server = await startHostileServer(
    serveRoutes({
      '/app': {
        headers: { 'content-type': 'text/html' },
        body: '<title>App</title><div id=a>empty</div><script>fetch("/word").then((r) => r.text()).then((t) => { a.textContent = t; })</script>',
      },
      '/word': { body: 'filled by a script' },
    }),
  );
  onTestFinished(async () => server.close());
  const cli = commandLine();
  cli.env['PATH'] = path;
  writeFileSync(
    join(cli.workspace, 'c.json'),
    JSON.stringify({
      web: {
        resolve: { 'app.test': ['93.184.216.34'] },
        connect: { '93.184.216.34:80': server.endpoint },
        ...(browser === undefined ? {} : { browser }),
      },
    }),
  );
  const call = JSON.stringify({ url: 'http://app.test/app', render: true, timeout: 120 });
  return cli.run(['call', 'web_fetch', call, '--json', '--config', 'c.json']);
}

test('web.browser lets web_fetch render a page of scripts', { timeout: 180_000 }, async () => {
  const { stdout } = await renderWith({
    enabled: true,
    noSandbox: true,
    executablePath: CHROMIUM ?? '/nowhere/chromium',
  });
  const { error, output } = JSON.parse(stdout);
  expect(error?.reason ?? output).toContain(
    CHROMIUM === undefined ? 'no_browser' : 'filled by a script',
  );
});

test('without it, render is unsupported', async () => {
  for (const browser of [undefined, { enabled: false }]) {
    const { stdout } = await renderWith(browser);
    expect(JSON.parse(stdout).error).toMatchObject({ type: 'unsupported', reason: 'no_browser' });
  }
});

test('a browser that is not there is told, with what to install', async () => {
  const named = await renderWith({ enabled: true, executablePath: '/nowhere/chromium' });
  expect(JSON.parse(named.stdout).error).toMatchObject({
    type: 'unsupported',
    reason: 'no_browser',
    message: expect.stringContaining('playwright-core'),
  });
  const unnamed = await renderWith({ enabled: true }, '/nowhere');
  expect(unnamed).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('web.browser.executablePath'),
  });
  expect(JSON.parse(unnamed.stdout).error).toMatchObject({ reason: 'config' });
});

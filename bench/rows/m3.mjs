import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ours } from '../harness/packages.mjs';
import { program, sdkClient } from '../mcp/echo.mjs';

export const work =
  'closing ten MCP servers over stdio at once, one of which ignores the end of its input and SIGTERM';

export const comparisons = [
  {
    row: 'M3',
    bar: 0.35,
    target: 0.25,
    anchor: '`client.close()` of the raw SDK, all ten at once',
    ours: '`session.close()`',
  },
];

export async function measure(bench) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
  const file = join(folder, 'pids');
  const programs = Array.from({ length: 10 }, (_, index) =>
    program('plain-server.mjs', '0', index === 4 ? 'stubborn' : 'usual', file),
  );
  const left = async () => {
    const pids = readFileSync(file, 'utf8').trim().split('\n').map(Number);
    writeFileSync(file, '');
    return aliveAfterASecond(pids);
  };
  try {
    await bench.compare('M3', {
      anchor: async () => ({ ms: await closeSdk(programs), left: await left() }),
      ours: async () => ({ ms: await closeOurs(programs), left: await left() }),
      check: (...both) => {
        if (both.some((each) => each.left > 0)) throw new Error('a server outlived its close');
      },
      rounds: 5,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function closeSdk(programs) {
  const clients = await Promise.all(programs.map((each) => sdkClient(each)));
  const started = performance.now();
  await Promise.all(clients.map((client) => client.close()));
  return performance.now() - started;
}

async function closeOurs(programs) {
  const { createHost, memoryWorkspace } = await ours('core');
  const { mcpServers } = await ours('mcp');
  const mcp = mcpServers(
    Object.fromEntries(programs.map((each, index) => [`server-${index}`, each])),
  );
  const session = await createHost({ providers: [mcp] }).open({ workspace: memoryWorkspace({}) });
  await session.ready();
  const started = performance.now();
  await session.close();
  return performance.now() - started;
}

/** How many of the processes do not end within a second. */
async function aliveAfterASecond(pids) {
  let alive = pids;
  for (let tries = 0; tries < 50; tries += 1) {
    alive = alive.filter(isAlive);
    if (alive.length === 0) break;
    await setTimeout(20);
  }
  return alive.length;
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

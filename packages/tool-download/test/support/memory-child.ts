// Runs downloads in a process of its own and tells what memory they took: argv holds root, server endpoint and the number of schedules.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@toolwright/core';
import { createHttpClient } from '@toolwright/safe-http';
import { localWorkspace } from '@toolwright/workspace-local';
import { download } from '../../src/index.ts';
import { faultSchedule } from './fault-schedule.ts';

const [root = '', endpoint = '', schedules = '0'] = process.argv.slice(2);
const http = createHttpClient({
  resolve: { 'files.test': ['93.184.216.34'] },
  connect: { '93.184.216.34:80': endpoint },
});
const workspace = localWorkspace(root);
const session = await createHost({ providers: [download({ retryDelayMs: 1 })] }).open({
  workspace,
  services: { http },
});

async function run(path: string, args: object): Promise<string> {
  const url = `http://files.test/${path}`;
  const result = await session.tool('download', { url, file_path: 'out/target', ...args });
  await rm(join(root, 'out'), { recursive: true, force: true });
  await mkdir(join(root, 'out'));
  return result.error === null ? 'ok' : `${result.error.type}/${result.error.reason ?? ''}`;
}

// Once through everything first: code that is loaded is no memory of a download.
await run('warm-up', {});
const idleBytes = process.memoryUsage().rss;
let peakBytes = idleBytes;
const timer = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
}, 5);
const outcomes: Record<string, string> = {
  sequential: await run('large', { connections: 1 }),
  parallel: await run('large', { connections: 4 }),
  chunked: await run('chunked', { connections: 1 }),
  endless: await run('endless', { max_bytes: 50_000_000 }),
};
for (let seed = 1; seed <= Number(schedules); seed += 1) {
  await run(`schedule/${String(seed)}`, faultSchedule(seed).args);
}
clearInterval(timer);
peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
await session.close();
await http.close();
await workspace.close();
process.stdout.write(JSON.stringify({ outcomes, grownBytes: peakBytes - idleBytes }));

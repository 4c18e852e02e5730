import { setTimeout } from 'node:timers/promises';
import { grepRequest } from './ripgrep.mjs';

/** Two scans make a workspace open its index; it is ready when a search that finds nothing takes a fraction of them. */
export async function warmIndex({ search }) {
  const none = grepRequest('zqxjkvbnotthere', { literal: true });
  const timed = async () => {
    const began = performance.now();
    await search.grep(none);
    return performance.now() - began;
  };
  await timed();
  const scan = await timed();
  for (let tries = 0; tries < 100 && (await timed()) > scan / 4; tries += 1) await setTimeout(200);
}

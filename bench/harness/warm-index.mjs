import { setTimeout } from 'node:timers/promises';
import { grepRequest } from './ripgrep.mjs';

/**
 * Two scans make a workspace open its index. It answers before it has read all files, which it does meanwhile; it is ready
 * when a search that finds nothing takes a fraction of a scan, and five more have not been quicker.
 */
export async function warmIndex({ search }) {
  const none = grepRequest('zqxjkvbnotthere', { literal: true });
  const timed = async () => {
    const began = performance.now();
    await search.grep(none);
    return performance.now() - began;
  };
  await timed();
  const enough = (await timed()) / 4;
  let best = Infinity;
  for (let tries = 0, since = 0; tries < 100 && since < 5; tries += 1) {
    await setTimeout(200);
    const time = await timed();
    since = time > enough || time < best * 0.95 ? 0 : since + 1;
    best = Math.min(best, time);
  }
}

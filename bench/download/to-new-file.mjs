import { rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/**
 * The time of a download into a file that is not there yet, and what the download returns. The file goes again afterwards: replacing one,
 * or freeing a gibibyte, is no part of it.
 */
export async function toNewFile(path, download) {
  const started = performance.now();
  const result = await download();
  const ms = performance.now() - started;
  rmSync(path);
  return { ms, result };
}

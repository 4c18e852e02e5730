import { createHash, randomFillSync } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MIB = 1024 * 1024;

/** A folder in memory where there is such a thing, with `served/file` of so many MiB; and its digest. */
export function makeCorpus(mebibytes) {
  const folder = mkdtempSync(
    join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'toolwright-bench-'),
  );
  for (const name of ['served', 'theirs', 'ours']) mkdirSync(join(folder, name));
  const descriptor = openSync(join(folder, 'served', 'file'), 'w');
  const block = randomFillSync(Buffer.alloc(16 * MIB));
  const hash = createHash('sha256');
  for (let left = mebibytes; left > 0; left -= 16) {
    const part = block.subarray(0, Math.min(left, 16) * MIB);
    hash.update(part);
    writeSync(descriptor, part);
  }
  closeSync(descriptor);
  return {
    folder,
    sha256: hash.digest('hex'),
    file: join(folder, 'served', 'file'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

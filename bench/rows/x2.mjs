import { readFileSync, writeFileSync } from 'node:fs';
import { call, openLocalSession, temporaryFolder } from '../harness/local-session.mjs';
import { timeProcess } from '../harness/time-process.mjs';

export const work = '1 GiB of output of a command: hashed, counted, its beginning and end kept';

export const comparisons = [
  {
    row: 'X2.time',
    bar: 3,
    target: 2.6,
    anchor: 'the same command in a shell, `| cat > /dev/null`',
    ours: '`bash`',
  },
  {
    row: 'X2.memory',
    bar: 48,
    target: 40,
    ours: 'memory that the process takes at most beyond what it had before (MiB)',
    unit: 'MiB',
  },
];

const size = 2 ** 30;
const command = `yes "$(head -c 79 /dev/zero | tr '\\0' x)" | head -c ${size}`;

export async function measure(bench) {
  const { folder, remove } = temporaryFolder();
  const session = await openLocalSession(folder);
  try {
    // What the first use of the tool loads is no part of what output costs.
    await call(session, 'bash', { command: 'echo ready' });
    await memory(bench, session);
    await bench.compare('X2.time', {
      anchor: () => timeProcess(['sh', '-c', `${command} | cat > /dev/null`], { cwd: folder }),
      ours: () => call(session, 'bash', { command, timeout: 300_000 }),
      check: (_, { metadata }) => {
        const { bytes, sha256 } = metadata.stdout;
        if (bytes !== size || sha256.length !== 64) throw new Error(`${bytes} bytes were counted`);
      },
      rounds: 5,
    });
  } finally {
    await session.close();
    remove();
  }
}

async function memory(bench, session) {
  try {
    // Puts the peak back to what is used now (Linux).
    globalThis.gc?.();
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    bench.missing('X2.memory', 'this system does not tell peaks of memory');
    return;
  }
  const before = peakMiB();
  await call(session, 'bash', { command, timeout: 300_000 });
  bench.value('X2.memory', [peakMiB() - before]);
}

function peakMiB() {
  const [, kib] = /VmHWM:\s+(\d+)/u.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(kib) / 1024;
}

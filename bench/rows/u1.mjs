import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { timeProcess } from '../harness/time-process.mjs';

export const work = '`toolwright call read` of a small file: the built command, as a whole process';

export const comparisons = [
  {
    row: 'U1',
    bar: 3,
    target: 2,
    anchor: '`node -e 0`',
    ours: '`toolwright call read`',
  },
];

const main = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const text = 'one\ntwo\nthree\n';

export async function measure(bench) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
  try {
    writeFileSync(join(folder, 'note.txt'), text);
    const env = { ...process.env, HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder };
    const call = [main, 'call', 'read', '{"file_path":"note.txt"}', '--workspace', folder];
    await bench.compare('U1', {
      anchor: () => timeProcess([process.execPath, '-e', '0'], { env }),
      ours: () => timeProcess([process.execPath, ...call], { env }),
      check: (_, { stdout }) => {
        if (!/one.*\n.*two.*\n.*three/u.test(stdout)) throw new Error(`unexpected: ${stdout}`);
      },
      rounds: 15,
      warmup: 2,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

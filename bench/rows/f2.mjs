import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, openLocalSession, temporaryFolder } from '../harness/local-session.mjs';
import { timeProcess } from '../harness/time-process.mjs';

export const work = 'a patch of one file of 40,000 lines with 1,000 hunks';

export const comparisons = [
  {
    row: 'F2',
    bar: 1.5,
    target: 1,
    anchor: '`git apply`, the whole process',
    ours: '`patch`',
  },
];

const hunks = 1_000;
const step = 40;

export async function measure(bench) {
  const { folder, remove } = temporaryFolder();
  const session = await openLocalSession(folder);
  try {
    const before = Array.from({ length: hunks * step }, (_, line) => `line ${line} of the file`);
    const after = before.map((line, at) => (at % step === step / 2 ? `${line}, changed` : line));
    const path = join(folder, 'file.txt');
    const original = `${before.join('\n')}\n`;
    writeFileSync(path, original);
    writeFileSync(join(folder, 'after.txt'), `${after.join('\n')}\n`);
    const diff = spawnSync('git', ['diff', '--no-index', 'file.txt', 'after.txt'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    }).stdout.replaceAll('after.txt', 'file.txt');
    if (diff.split('\n@@ ').length !== hunks + 1) throw new Error('the diff has not 1,000 hunks');
    writeFileSync(join(folder, 'change.patch'), diff);
    const result = () => readFileSync(path, 'utf8');
    await bench.compare('F2', {
      anchor: () => {
        writeFileSync(path, original);
        const { ms } = timeProcess(['git', 'apply', 'change.patch'], { cwd: folder });
        return { ms, text: result() };
      },
      ours: async () => {
        writeFileSync(path, original);
        const started = performance.now();
        await call(session, 'patch', { diff });
        return { ms: performance.now() - started, text: result() };
      },
      check: (theirs, own) => {
        if (theirs.text !== own.text || own.text === original) throw new Error('the files differ');
      },
      rounds: 11,
      warmup: 3,
    });
  } finally {
    await session.close();
    remove();
  }
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCorpus } from '../download/corpus.mjs';
import { missingCommand } from '../download/nginx.mjs';
import { openDownloads } from '../download/session.mjs';
import { toNewFile } from '../download/to-new-file.mjs';
import { timeProcess } from '../harness/time-process.mjs';

export const work =
  'download of 160 MiB from a server that gives each connection 40 MiB a second, to a new file';

const anchor = '`aria2c -x4 -s4`';
export const comparisons = [
  { row: 'D2', bar: 1.15, target: 1.05, anchor, ours: '`download` with 4 connections' },
  { row: 'D2.auto', bar: 1.15, target: 1.05, anchor, ours: '`download`, connections not given' },
];

const server = fileURLToPath(new URL('../download/paced-server.mjs', import.meta.url));
const RATE = 40 * 1024 * 1024;

export async function measure(bench) {
  const missing = missingCommand(['aria2c']);
  if (missing !== undefined) {
    for (const { row } of comparisons) bench.missing(row, `${missing} is not installed`);
    return;
  }
  const corpus = makeCorpus(160);
  const child = fork(server, [corpus.file, String(RATE)]);
  const [port] = await once(child, 'message');
  const own = await openDownloads(join(corpus.folder, 'ours'), port);
  const options = ['-x4', '-s4', '-q', '--allow-overwrite=true', '--file-allocation=none'];
  const to = ['-d', join(corpus.folder, 'theirs'), '-o', 'file'];
  const variants = (args) => ({
    anchor: () =>
      toNewFile(join(corpus.folder, 'theirs', 'file'), () =>
        timeProcess(['aria2c', ...options, ...to, `http://127.0.0.1:${port}/file`]),
      ),
    ours: () => toNewFile(own.path, () => own.run({ expected_sha256: corpus.sha256, ...args })),
    check: (_, { result }) => {
      if (result.bytes !== 160 * 1024 * 1024) throw new Error('the file is not whole');
    },
    rounds: 7,
  });
  try {
    await bench.compare('D2', variants({ connections: 4 }));
    await bench.compare('D2.auto', variants({}));
  } finally {
    await own.close();
    child.kill();
    corpus.remove();
  }
}

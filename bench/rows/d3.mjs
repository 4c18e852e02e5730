import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCorpus } from '../download/corpus.mjs';
import { missingCommand, startNginx } from '../download/nginx.mjs';
import { ours } from '../harness/packages.mjs';
import { timeProcess } from '../harness/time-process.mjs';

export const work = 'memory of a download of 512 MiB, above the process at rest';

export const comparisons = [
  {
    row: 'D3',
    bar: 96,
    target: 64,
    unit: 'MiB',
    anchor: 'one connection',
    ours: 'peak of the RSS',
  },
  {
    row: 'D3.four',
    bar: 96,
    target: 64,
    unit: 'MiB',
    anchor: 'four connections',
    ours: 'peak of the RSS',
  },
];

const script = fileURLToPath(new URL('../download/memory.mjs', import.meta.url));

export async function measure(bench) {
  if (missingCommand(['nginx']) !== undefined) {
    for (const { row } of comparisons) bench.missing(row, 'nginx is not installed');
    return;
  }
  const { TEST_CERTIFICATE: certificate } = await ours('safe-http', './testing');
  const corpus = makeCorpus(512);
  const nginx = await startNginx(corpus.folder, certificate);
  try {
    for (const [row, connections] of [
      ['D3', '1'],
      ['D3.four', '4'],
    ]) {
      const args = [script, join(corpus.folder, 'ours'), String(nginx.plain), connections];
      const one = () => Number(timeProcess([process.execPath, ...args]).stdout);
      bench.value(row, [one(), one(), one()]);
    }
  } finally {
    await nginx.close();
    corpus.remove();
  }
}

import { join } from 'node:path';
import { makeCorpus } from '../download/corpus.mjs';
import { missingCommand, startNginx } from '../download/nginx.mjs';
import { openDownloads } from '../download/session.mjs';
import { toNewFile } from '../download/to-new-file.mjs';
import { ours } from '../harness/packages.mjs';
import { timeProcess } from '../harness/time-process.mjs';

export const work =
  'download of 1 GiB (512 MiB over TLS) from nginx on loopback with its SHA-256, to a new file in memory';

const anchor = 'curl, then `openssl dgst -sha256`';
export const comparisons = [
  { row: 'D1', bar: 1, target: 0.7, anchor, ours: '`download` with `expected_sha256`' },
  { row: 'D1.tls', bar: 1.3, target: 0.9, anchor, ours: 'the same over TLS' },
];

export async function measure(bench) {
  const missing = missingCommand(['nginx', 'curl', 'openssl']);
  if (missing !== undefined) {
    for (const { row } of comparisons) bench.missing(row, `${missing} is not installed`);
    return;
  }
  const { TEST_CERTIFICATE: certificate } = await ours('safe-http', './testing');
  for (const [row, mebibytes, isSecure] of [
    ['D1', 1024, false],
    ['D1.tls', 512, true],
  ]) {
    const corpus = makeCorpus(mebibytes);
    const nginx = await startNginx(corpus.folder, certificate);
    const port = isSecure ? nginx.secure : nginx.plain;
    const own = await openDownloads(
      join(corpus.folder, 'ours'),
      port,
      isSecure ? { ca: certificate.ca } : {},
    );
    const to = join(corpus.folder, 'theirs', 'file');
    const scheme = isSecure ? 'https' : 'http';
    const url = `${scheme}://secure.test:${port}/file`;
    const curl = ['-sSfk', '--resolve', `secure.test:${port}:127.0.0.1`, '-o', to, url];
    try {
      await bench.compare(row, {
        anchor: () =>
          toNewFile(to, () => {
            timeProcess(['curl', ...curl]);
            return timeProcess(['openssl', 'dgst', '-sha256', '-r', to]).stdout.slice(0, 64);
          }),
        ours: () =>
          toNewFile(
            own.path,
            async () => (await own.run({ expected_sha256: corpus.sha256 })).sha256,
          ),
        check: (theirs, mine) => {
          if (theirs.result !== mine.result) throw new Error('the digests differ');
        },
        rounds: 5,
      });
    } finally {
      await own.close();
      await nginx.close();
      corpus.remove();
    }
  }
}

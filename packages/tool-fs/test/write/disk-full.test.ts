import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openFile } from '../open-project.ts';

/** Lets files of this process grow to so many bytes at most; the kernel refuses what goes beyond, half-way in a write. */
function limitFileSize(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
}

test('WRITE-006: a write that the disk ends half-way leaves the old file and nothing beside it', async () => {
  const old = 'old content\n'.repeat(1_000);
  const project = await openFile(old);
  const ignore = (): void => undefined;
  // Without a handler the signal that goes with the refusal would end the process.
  process.on('SIGXFSZ', ignore);
  limitFileSize(524_288);
  let result;
  try {
    result = await project.call('write', { file_path: 'f', content: 'n'.repeat(1_048_576) });
  } finally {
    limitFileSize('unlimited');
    process.off('SIGXFSZ', ignore);
  }
  expect(result).toMatchObject({
    exit_code: 1,
    error: { type: 'limit_exceeded', reason: 'disk_full', path: 'f' },
  });
  expect(await project.text('f')).toBe(old);
  expect(await project.names()).toEqual(['f']);
  const again = await project.call('write', { file_path: 'f', content: 'n'.repeat(1_048_576) });
  expect(again.error).toBeNull();
});

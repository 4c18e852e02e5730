import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleChild } from './support/bundle-child.ts';

const mebibytes = process.env['TOOLWRIGHT_LONG'] === '1' ? 1_024 : 192;

let folder = '';
let script = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tw-flood-'));
  script = await bundleChild(new URL('support/flooded-child.ts', import.meta.url), folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  'a flood of output is counted and hashed in less than 48 MiB',
  { timeout: 600_000 },
  async () => {
    const root = join(folder, 'root');
    mkdirSync(root);
    const { stdout } = await promisify(execFile)(process.execPath, [
      script,
      root,
      String(mebibytes),
    ]);
    // The child's own answer, whose shape stands in its source.
    const told = JSON.parse(stdout) as { added: number; stdout: unknown };
    expect(told.stdout).toMatchObject({
      bytes: mebibytes * 1_048_576,
      truncated: true,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(told.added).toBeLessThan(48 * 1_048_576);
  },
);

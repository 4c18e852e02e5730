import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createHost } from '@toolwright/core';
import { localWorkspace } from '@toolwright/workspace-local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fs } from '../src/index.ts';
import { bundleChild } from './support/bundle-child.ts';

const kills = process.env['TOOLWRIGHT_LONG'] === '1' ? 200 : 8;

let folder = '';
let script = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tw-kill-'));
  script = await bundleChild(new URL('support/writing-child.ts', import.meta.url), folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Each round starts a process; the bound is for one that hangs.
const timeout = kills * 15_000;

test(
  'kill -9 at any moment leaves each file old or new, a patch of several files whole or none of it',
  { timeout },
  async () => {
    const root = join(folder, 'root');
    const stateDir = join(folder, 'state');
    mkdirSync(join(root, 'many'), { recursive: true });
    for (const name of ['a', 'b', 'c', 'is-one']) writeFileSync(join(root, 'many', name), 'one\n');
    const seen = new Set<string>();
    for (let round = 0; round < kills; round += 1) {
      const child = spawn(process.execPath, [script, root, stateDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      // Spread over the first loops of the child; which step it hits is left to chance.
      await delay((round * 7) % 50);
      child.kill('SIGKILL');
      await once(child, 'close');
      for (const name of readdirSync(root).filter((entry) => entry.endsWith('.txt'))) {
        const text = readFileSync(join(root, name), 'utf8');
        const count = name === 'big.txt' ? 20_000 : 3;
        expect(['one\n'.repeat(count), 'two\n'.repeat(count)]).toContain(text);
        seen.add(`${name} ${text.slice(0, 3)}`);
      }
      // The next that opens the directory puts back what a patch of several files had half done.
      await localWorkspace(root, { stateDir }).close();
      const [first, ...others] = ['a', 'b', 'c'].map((name) =>
        readFileSync(join(root, 'many', name), 'utf8'),
      );
      expect(others).toEqual([first, first]);
      expect(readdirSync(join(root, 'many')).toSorted()).toEqual([
        'a',
        'b',
        'c',
        `is-${first?.trim()}`,
      ]);
      seen.add(`many ${first}`);
    }
    expect(seen.size).toBeGreaterThan(1);
    const session = await createHost({ providers: [fs()] }).open({
      workspace: localWorkspace(root, { stateDir }),
    });
    await session.writeFile('last.txt', 'x');
    await session.close();
    expect(readdirSync(root).filter((name) => name.startsWith('.tw-'))).toEqual([]);
  },
);

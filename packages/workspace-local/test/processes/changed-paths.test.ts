import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LocalGit } from '../../src/git/local-git.ts';
import { changedPaths } from '../../src/processes/changed-paths.ts';
import { LocalProcesses } from '../../src/processes/local-processes.ts';
import { finish } from './run-command.ts';

let root: string;
let processes: LocalProcesses;

const resolvePath = async (path: string): Promise<string> => path;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tw-changed-')));
  const git = (): LocalGit => new LocalGit({ root, resolvePath, processes });
  processes = new LocalProcesses({
    root,
    resolvePath,
    sandbox: { enabled: false },
    changedPaths: (sinceMs) => changedPaths(git(), root, sinceMs),
  });
  return () => processes.close();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Lets the clock of the file system pass what was done before. */
function tick(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 40);
  });
}

async function changes(line: string): Promise<readonly string[] | null> {
  await tick();
  const handle = await processes.spawn({ command: { kind: 'shell', line } });
  const { exitCode, stderr } = await finish(handle);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return handle.changedPaths();
}

it('tells what a command created, changed, deleted and put back', async () => {
  expect(await changes('touch x')).toBe(null);
  mkdirSync(join(root, 'dir'));
  writeFileSync(join(root, 'dir/gone.txt'), 'x');
  writeFileSync(join(root, 'kept.txt'), 'x');
  writeFileSync(join(root, '.gitignore'), 'ignored/\n');
  const setup =
    'git init -q && git config user.name A && git config user.email a@b.c && git add . && git commit -qm x';
  await changes(setup);
  writeFileSync(join(root, 'dirty.txt'), 'was dirty before');
  expect(
    await changes(
      'echo y > "ä ->\nb.txt"; rm -r dir; echo z >> kept.txt; mkdir ignored; touch ignored/x',
    ),
  ).toEqual(['dir/gone.txt', 'kept.txt', 'ä ->\nb.txt']);
  expect(await changes('git checkout -q .')).toEqual(['dir/gone.txt', 'kept.txt']);
  expect(await changes('true')).toEqual([]);
  expect(await changes('chmod +x kept.txt && git mv kept.txt moved.txt')).toEqual([
    'kept.txt',
    'moved.txt',
  ]);
});

it('tells of more files than are read at a time', async () => {
  const names = Array.from({ length: 1200 }, (_, i) => `many/${String(i).padStart(80, '0')}`);
  await changes('git init -q; mkdir many');
  const created = await changes("cd many && printf '%080d\\0' $(seq 0 1199) | xargs -0 touch");
  expect(created?.filter((path) => path.startsWith('many/'))).toEqual(names);
});

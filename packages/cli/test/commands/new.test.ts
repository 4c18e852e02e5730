import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { memoryWorkspace, type Provider } from '@toolwright/core';
import { runConformance } from '@toolwright/core/testing';
import { expect, test } from 'vitest';
import { commandLine } from '../session.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

test('writes a package in the house form, which is strictly typed and passes the conformance suite', async () => {
  const cli = commandLine();
  const { code, stdout, stderr } = await cli.run(['new', '@acme/tool-line-count', '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const files = [
    '.gitignore',
    'LICENSE',
    'README.md',
    'fixture/notes.txt',
    'package.json',
    'src/index.ts',
    'src/line-count-tool.ts',
    'src/provider.ts',
    'test/conformance.test.ts',
    'test/line-count-tool.test.ts',
    'tsconfig.build.json',
    'tsconfig.json',
  ];
  expect(JSON.parse(stdout)).toEqual({
    name: '@acme/tool-line-count',
    path: 'tool-line-count',
    files,
    error: null,
  });
  const folder = join(cli.workspace, 'tool-line-count');
  for (const file of files) {
    expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/__[A-Z]+__|\*\*[A-Z]+\*\*/);
  }
  // The formatter of Markdown takes underscores in a heading for emphasis.
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toMatch(/^# `@acme\/tool-line-count`\n/);
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    name: '@acme/tool-line-count',
    license: 'MIT',
    type: 'module',
    peerDependencies: { '@toolwright/core': expect.stringMatching(/^>=\d+\.\d+\.\d+ <1$/) },
  });
  linkDependencies(folder);
  await promisify(execFile)(join(repository, 'node_modules/.bin/tsc'), [
    '-p',
    join(folder, 'tsconfig.json'),
    '--customConditions',
    '@toolwright/source',
  ]);
  const made: { lineCount(): Provider } = await import(
    pathToFileURL(join(folder, 'src/index.ts')).href
  );
  const report = await runConformance(made.lineCount(), {
    workspace: () => memoryWorkspace({ files: { 'notes.txt': 'one\ntwo\n' } }),
  });
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(report.checks.length).toBeGreaterThan(5);
});

test('says what to do next', async () => {
  const { stdout } = await commandLine().run(['new', 'tool-weather']);
  expect(stdout).toContain('cd tool-weather');
  expect(stdout).toContain('npm install');
});

test('an empty folder is taken, anything else in its place is refused and left as it is', async () => {
  const cli = commandLine();
  mkdirSync(join(cli.workspace, 'tool-a'));
  expect((await cli.run(['new', 'tool-a'])).code).toBe(0);
  mkdirSync(join(cli.workspace, 'tool-b'));
  writeFileSync(join(cli.workspace, 'tool-b', 'mine.txt'), 'mine');
  writeFileSync(join(cli.workspace, 'tool-c'), 'a file');
  symlinkSync(join(cli.base, 'elsewhere'), join(cli.workspace, 'tool-d'));
  for (const name of ['tool-a', 'tool-b', 'tool-c', 'tool-d']) {
    const { code, stdout } = await cli.run(['new', name, '--json']);
    expect([name, code, JSON.parse(stdout).error]).toMatchObject([
      name,
      1,
      { type: 'invalid_argument', reason: 'already_exists', path: name, retryable: false },
    ]);
  }
  expect(readdirSync(join(cli.workspace, 'tool-b'))).toEqual(['mine.txt']);
  expect(existsSync(join(cli.base, 'elsewhere'))).toBe(false);
});

test('a bad name is a typed refusal, and nothing is written', async () => {
  const cli = commandLine();
  const { code, stdout } = await cli.run(['new', '../escape', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    name: '../escape',
    error: { type: 'invalid_argument', reason: 'bad_name' },
  });
  const text = await cli.run(['new', 'Bad Name']);
  expect(text).toMatchObject({ code: 1, stdout: '' });
  expect(text.stderr).toMatch(/^invalid_argument: "Bad Name" cannot name/);
  expect(readdirSync(cli.workspace)).toEqual([]);
  for (const argv of [['new'], ['new', 'a', 'b']]) {
    expect(await cli.run(argv)).toMatchObject({ code: 2, stdout: '' });
  }
});

/** What `npm install` would bring, from this repository: core from its source. */
function linkDependencies(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@toolwright'), { recursive: true });
  mkdirSync(join(folder, 'node_modules/@types'));
  const links = {
    '@toolwright/core': 'packages/core',
    '@types/node': 'node_modules/@types/node',
    vitest: 'node_modules/vitest',
  };
  for (const [name, path] of Object.entries(links)) {
    symlinkSync(join(repository, path), join(folder, 'node_modules', name));
  }
}

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GitRequest } from '@toolwright/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LocalGit } from '../../src/git/local-git.ts';
import { LocalProcesses } from '../../src/processes/local-processes.ts';
import { finish } from '../processes/run-command.ts';

let base: string;
let root: string;
let processes: LocalProcesses;
let git: LocalGit;
let count = 0;

const resolvePath = async (path: string): Promise<string> => path;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tw-git-')));
  root = join(base, 'root');
  writeFileSync(join(base, 'gitconfig'), '[user]\n\tname = A\n\temail = a@example.com\n');
  mkdirSync(root);
  own('init', '-q', '-b', 'main');
  write('a.txt', 'one\n');
  own('add', '.');
  own('commit', '-qm', 'first');
  cpSync(root, join(base, 'template'), { recursive: true });
  const options = { root, resolvePath };
  processes = new LocalProcesses({ ...options, hostEnv: hostile(), sandbox: { enabled: false } });
  return () => processes.close();
});

beforeEach(() => {
  count += 1;
  rmSync(root, { recursive: true, force: true });
  cpSync(join(base, 'template'), root, { recursive: true });
  git = new LocalGit({ root, resolvePath, processes });
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The environment of a host that runs inside a git hook of another repository. */
function hostile(): Record<string, string | undefined> {
  return {
    PATH: process.env['PATH'],
    HOME: base,
    GIT_DIR: join(base, 'other/.git'),
    GIT_WORK_TREE: join(base, 'other'),
    GIT_INDEX_FILE: join(base, 'index'),
    GIT_EXTERNAL_DIFF: trap('environment'),
  };
}

/** Git as its user runs it. */
function own(...args: string[]): string {
  const env = {
    PATH: process.env['PATH'],
    HOME: base,
    GIT_CONFIG_GLOBAL: join(base, 'gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
  };
  return execFileSync('git', args, { cwd: root, env, encoding: 'utf8' });
}

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** A program that leaves a mark, and copies its input so that it can stand as a filter. */
function trap(name: string): string {
  const path = join(base, `trap-${name}`);
  writeFileSync(path, `#!/bin/sh\ntouch ${base}/sprung-${name}\nexec cat\n`);
  chmodSync(path, 0o755);
  return path;
}

function sprung(): string[] {
  return readdirSync(base).filter((name) => name.startsWith('sprung-'));
}

async function run(args: readonly string[], request: Partial<GitRequest> = {}) {
  return finish(await git.run({ args, access: 'read', ...request }));
}

const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];

/** Every setting and file by which a repository can name a program. */
function plantTraps(): void {
  const config: readonly (readonly [string, string])[] = [
    ['core.fsmonitor', trap('fsmonitor')],
    ['core.hooksPath', join(base, 'hooks')],
    ['core.pager', trap('pager')],
    ['pager.log', trap('pager-log')],
    ['core.editor', trap('editor')],
    ['core.askPass', trap('askpass')],
    ['core.sshCommand', trap('ssh')],
    ['credential.helper', trap('credential')],
    ['diff.external', trap('external')],
    ['diff.evil.command', trap('driver')],
    ['diff.evil.textconv', trap('textconv')],
    ['diff.evil.cachetextconv', 'true'],
    ['filter.evil.clean', trap('clean')],
    ['filter.evil.smudge', trap('smudge')],
    ['filter.evil.process', trap('process')],
    ['filter.evil.required', 'true'],
    ['merge.evil.driver', trap('merge')],
    ['gpg.program', trap('gpg')],
    ['commit.gpgSign', 'true'],
    ['log.showSignature', 'true'],
    ['sequence.editor', trap('sequence')],
    ['interactive.diffFilter', trap('interactive')],
    ['core.alternateRefsCommand', trap('alternates')],
    ['remote.origin.url', `ext::${trap('transport')}`],
    ['remote.origin.promisor', 'true'],
    ['protocol.ext.allow', 'always'],
    ['alias.status', `!${trap('alias')}`],
  ];
  for (const [key, value] of config) own('config', key, value);
  mkdirSync(join(base, 'hooks'), { recursive: true });
  const hooks = ['pre-commit', 'commit-msg', 'post-commit', 'post-checkout', 'post-index-change'];
  for (const name of [...hooks, 'prepare-commit-msg', 'reference-transaction']) {
    for (const directory of [join(base, 'hooks'), join(root, '.git/hooks')]) {
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, name), `#!/bin/sh\ntouch ${base}/sprung-hook-${name}\n`);
      chmodSync(join(directory, name), 0o755);
    }
  }
  write('.gitattributes', '* filter=evil diff=evil merge=evil\n');
}

describe('a hostile repository', () => {
  it('runs nothing of its own', async () => {
    own('branch', 'other');
    plantTraps();
    write('a.txt', 'two\n');
    write('new.txt', 'new\n');
    const results = [
      await run(['status', '--porcelain=v2', '-z']),
      await run(['diff']),
      await run(['log', '-p', '-1']),
      await run(['show', 'HEAD']),
      await run(['blame', 'a.txt']),
      await run(['branch', '--list']),
      await run(['stash', 'list']),
      await run(['worktree', 'list', '--porcelain']),
      await run(['remote', '-v']),
      await run(['add', '--', 'new.txt', 'a.txt', '.gitattributes'], { access: 'write' }),
      await run([...identity, 'commit', '-m', 'second'], { access: 'write' }),
      await run(['checkout', 'other'], { access: 'write' }),
      await run(['checkout', 'main'], { access: 'write' }),
    ];
    expect(results.map(({ exitCode }) => exitCode)).toEqual(results.map(() => 0));
    write('a.txt', 'three\n');
    expect((await run([...identity, 'stash', 'push'], { access: 'write' })).exitCode).toBe(0);
    expect((await run([...identity, 'stash', 'pop'], { access: 'write' })).exitCode).toBe(0);
    await run(['worktree', 'add', '-q', 'wt', 'other'], { access: 'write' });
    await run(['fetch', 'origin'], { access: 'write' });
    expect(sprung()).toEqual([]);
  });

  it('would do so without the guard (the traps work)', async () => {
    plantTraps();
    write('a.txt', 'two\n');
    const trusting = new LocalGit({ root, resolvePath, processes, trustRepository: true });
    await finish(await trusting.run({ args: ['status'], access: 'read' }));
    await finish(await trusting.run({ args: ['checkout', '-b', 'x'], access: 'write' }));
    expect(sprung()).toContain('sprung-fsmonitor');
    expect(sprung()).toContain('sprung-hook-post-checkout');
    for (const name of sprung()) rmSync(join(base, name));
  });

  it('is told from a changed one: settings are read again after each change', async () => {
    expect((await run(['status'])).exitCode).toBe(0);
    own('config', 'filter.late.clean', trap('late'));
    write('.gitattributes', '* filter=late\n');
    write('a.txt', 'changed\n');
    await run(['status', '--porcelain=v2']);
    await run(['add', '.'], { access: 'write' });
    expect(sprung()).toEqual([]);
  });

  it('cannot hide its programs in included files or odd names', async () => {
    appendFileSync(join(root, '.git/config'), '[include]\n\tpath = more\n');
    writeFileSync(join(root, '.git/more'), `[filter "x"]\n\tclean = ${trap('included')}\n`);
    write('.gitattributes', '* filter=x\n');
    write('a.txt', 'changed\n');
    await run(['status', '--porcelain=v2']);
    expect(sprung()).toEqual([]);
    own('config', 'filter.a=b.clean', trap('odd'));
    await expect(run(['status'])).rejects.toMatchObject({ reason: 'repository_programs' });
  });

  it('cannot hide its programs in a submodule', async () => {
    const inner = join(base, `inner-${count}`);
    execFileSync('git', ['init', '-q', inner]);
    execFileSync('git', [...identity, 'commit', '-q', '--allow-empty', '-m', 'x'], { cwd: inner });
    own(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      'add',
      '-q',
      '--name',
      'sub',
      inner,
      'sub',
    );
    own('commit', '-qm', 'with submodule');
    const config = (key: string, value: string): void => {
      execFileSync('git', ['config', key, value], { cwd: join(root, 'sub') });
    };
    write('sub/tracked', 'x');
    execFileSync('git', ['add', 'tracked'], { cwd: join(root, 'sub') });
    execFileSync('git', [...identity, 'commit', '-qm', 'y'], { cwd: join(root, 'sub') });
    own('add', 'sub');
    own('commit', '-qm', 'newer submodule');
    config('core.fsmonitor', trap('sub-fsmonitor'));
    config('filter.sub.clean', trap('sub-clean'));
    write('sub/.gitattributes', '* filter=sub\n');
    write('sub/tracked', 'y');
    const { stdout } = await run(['status', '--porcelain=v2', '-z']);
    expect(stdout).toMatch(/^1 \.M S\.MU /);
    expect(stdout).toContain(' sub\0');
    await run(['diff']);
    expect(sprung()).toEqual([]);
  });

  it('cannot hide its programs in a submodule that it does not declare', async () => {
    mkdirSync(join(root, 'sub'));
    execFileSync('git', ['init', '-q'], { cwd: join(root, 'sub') });
    write('sub/tracked', 'x');
    execFileSync('git', ['add', 'tracked'], { cwd: join(root, 'sub') });
    execFileSync('git', [...identity, 'commit', '-qm', 'y'], { cwd: join(root, 'sub') });
    own('-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
    own('commit', '-qm', 'undeclared');
    for (const [key, value] of [
      ['core.fsmonitor', trap('undeclared-fsmonitor')],
      ['filter.sub.clean', trap('undeclared-clean')],
    ]) {
      execFileSync('git', ['config', key ?? '', value ?? ''], { cwd: join(root, 'sub') });
    }
    write('sub/.gitattributes', '* filter=sub\n');
    write('sub/tracked', 'y');
    expect((await run(['status', '--porcelain=v2', '-z'])).stdout).toBe('');
    await run(['diff']);
    await run(['add', '-A'], { access: 'write' });
    expect(sprung()).toEqual([]);
  });

  it('cannot be a bare one that lies in the tree', async () => {
    const bare = join(root, 'docs');
    execFileSync('git', ['init', '-q', '--bare', bare]);
    execFileSync('git', ['config', 'core.fsmonitor', trap('bare')], { cwd: bare });
    execFileSync('git', ['config', 'core.worktree', root], { cwd: bare });
    const { exitCode } = await run(['status', '--porcelain'], { cwd: 'docs' });
    expect(exitCode).toBe(128);
    expect(sprung()).toEqual([]);
  });
});

describe('the repository', () => {
  it('GIT-016 is that of the directory, whatever GIT_ variables the host has', async () => {
    expect((await run(['rev-parse', '--show-toplevel'])).stdout).toBe(`${root}\n`);
  });

  it('SHELL-007 is never asked for a password: a clone fails at once', async () => {
    const handle = await processes.spawn({
      command: {
        kind: 'shell',
        line: 'sh -c "read x < /dev/tty && echo got"; echo $?; GIT_ASKPASS= git clone -q https://127.0.0.1:1/x; echo $?',
      },
    });
    const { stdout } = await finish(handle);
    expect(stdout).not.toContain('got');
    expect(stdout.split('\n').slice(0, 2)).not.toContain('0');
  });

  it('GIT-015 is found from a linked worktree and from a subdirectory', async () => {
    own('worktree', 'add', '-q', 'wt');
    mkdirSync(join(root, 'sub'));
    expect(await git.repository('wt')).toEqual({
      topLevel: join(root, 'wt'),
      gitDirectory: join(root, '.git/worktrees/wt'),
      commonDirectory: join(root, '.git'),
      reachesOutside: false,
    });
    expect(await git.repository('sub')).toMatchObject({ topLevel: root });
    expect(await git.locate('wt')).toEqual({ topLevel: 'wt', prefix: '', linked: true });
    expect(await git.locate('sub')).toEqual({ topLevel: '', prefix: '', linked: false });
    expect((await run(['rev-parse', '--abbrev-ref', 'HEAD'], { cwd: 'wt' })).stdout).toBe('wt\n');
  });

  it('may lie outside when it names the worktree as its own', async () => {
    own('worktree', 'add', '-q', join(base, `wt-${count}`));
    const linked = new LocalGit({ root: join(base, `wt-${count}`), resolvePath, processes });
    expect(await linked.repository()).toMatchObject({
      commonDirectory: join(root, '.git'),
      reachesOutside: false,
    });
  });

  it('cannot be another one of the machine, by a file or a link that somebody wrote', async () => {
    const other = join(base, `other-${count}`);
    execFileSync('git', ['init', '-q', other]);
    write('file/.git', `gitdir: ${other}/.git\n`);
    await expect(run(['log'], { cwd: 'file' })).rejects.toMatchObject({
      type: 'permission_denied',
      reason: 'outside_workspace',
    });
    mkdirSync(join(root, 'link'));
    symlinkSync(join(other, '.git'), join(root, 'link/.git'));
    await expect(run(['log'], { cwd: 'link' })).rejects.toMatchObject({
      reason: 'outside_workspace',
    });
    mkdirSync(join(root, 'common/.git'), { recursive: true });
    write('common/.git/HEAD', 'ref: refs/heads/main\n');
    write('common/.git/commondir', `${other}/.git\n`);
    await expect(run(['log'], { cwd: 'common' })).rejects.toMatchObject({
      reason: 'outside_workspace',
    });
    own('config', 'core.worktree', other);
    await expect(run(['status'])).rejects.toMatchObject({ reason: 'outside_workspace' });
  });

  it('is read but not written when it reaches outside the workspace', async () => {
    mkdirSync(join(root, 'package'));
    const inner = new LocalGit({ root: join(root, 'package'), resolvePath, processes });
    expect(await inner.repository()).toMatchObject({ topLevel: root, reachesOutside: true });
    expect(await inner.locate()).toEqual({ topLevel: null, prefix: 'package/', linked: false });
    await expect(inner.run({ args: ['add', '.'], access: 'write' })).rejects.toMatchObject({
      reason: 'outside_workspace',
    });
  });

  it('may be missing', async () => {
    rmSync(join(root, '.git'), { recursive: true });
    await expect(run(['status'])).rejects.toMatchObject({
      type: 'not_found',
      reason: 'not_a_repository',
    });
    expect(existsSync(join(root, 'a.txt'))).toBe(true);
  });

  it('takes input', async () => {
    const input = Buffer.from('message\n\nbody\n');
    await run([...identity, 'commit', '-q', '--allow-empty', '-F', '-'], {
      access: 'write',
      input,
    });
    expect(own('log', '-1', '--format=%B')).toBe('message\n\nbody\n\n');
  });
});

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject, Session, ToolResult } from '@toolwright/core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { gitTool } from '../../src/git.ts';
import { patchTool } from '../../src/patch.ts';
import { openSession, type OpenedSession } from '../open-session.ts';

/** A session on a repository that has one commit of `a.txt` at the start of each test. */
export class RepositoryFixture {
  #opened: OpenedSession | undefined;
  #base = '';

  get session(): Session {
    return this.#open.session;
  }

  get root(): string {
    return this.#open.root;
  }

  /** A directory outside of the workspace; also the home directory of git. */
  get base(): string {
    return this.#base;
  }

  get #open(): OpenedSession {
    if (this.#opened === undefined) throw new Error('The fixture is not open.');
    return this.#opened;
  }

  async open(): Promise<void> {
    this.#base = realpathSync(mkdtempSync(join(tmpdir(), 'tw-git-tool-')));
    writeFileSync(
      join(this.#base, '.gitconfig'),
      '[user]\n\tname = A U Thor\n\temail = a@example.com\n',
    );
    process.env['HOME'] = this.#base;
    this.#opened = await openSession([gitTool(), patchTool()], {
      processes: { sandbox: { enabled: false } },
    });
    this.own('init', '-q', '-b', 'main');
    this.write('a.txt', 'one\n');
    this.own('add', '.');
    this.own('commit', '-qm', 'first');
    cpSync(this.root, join(this.#base, 'template'), { recursive: true });
  }

  reset(): void {
    for (const name of readdirSync(this.root)) {
      rmSync(join(this.root, name), { recursive: true, force: true });
    }
    cpSync(join(this.#base, 'template'), this.root, { recursive: true });
  }

  async close(): Promise<void> {
    await this.#opened?.close();
    rmSync(this.#base, { recursive: true, force: true });
  }

  /** Git as its user runs it. */
  own(...args: string[]): string {
    const env = { PATH: process.env['PATH'], HOME: this.#base, GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', args, {
      cwd: this.root,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  /** Writes files and commits everything; the new commit. */
  commit(message: string, files: Record<string, string>): string {
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    this.own('add', '-A');
    this.own('commit', '-qm', message);
    return this.own('rev-parse', 'HEAD').trim();
  }

  git(input: JsonObject): Promise<ToolResult> {
    return this.session.tool('git', input);
  }

  /** The errors of several calls, each beside its call. */
  async errors(
    calls: readonly JsonObject[],
  ): Promise<readonly { readonly call: JsonObject; readonly reason: string | null }[]> {
    const found = [];
    for (const call of calls) {
      const { error } = await this.git(call);
      found.push({ call, reason: error === null ? null : (error.reason ?? error.type) });
    }
    return found;
  }
}

/** A fixture that is opened before and closed after the tests of a file. */
export function useRepository(): RepositoryFixture {
  const fixture = new RepositoryFixture();
  const home = process.env['HOME'];
  beforeAll(() => fixture.open());
  beforeEach(() => fixture.reset());
  afterAll(async () => {
    process.env['HOME'] = home;
    await fixture.close();
  });
  return fixture;
}

/** The part of a result's metadata that pages and windows have. */
export function pagingOf(result: ToolResult): {
  readonly next: string | null;
  readonly entries: readonly Readonly<Record<string, unknown>>[];
} {
  const { page, range, entries } = JSON.parse(JSON.stringify(result.metadata));
  return { next: (page ?? range).next_cursor, entries: entries ?? [] };
}

import { spawnSync } from 'node:child_process';
import { accessSync, constants, lstatSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { bubblewrapArguments, type MountKind } from './bubblewrap-arguments.ts';
import { CredentialFiles } from './credential-files.ts';

/** What a host may set about the sandbox. */
export interface SandboxOptions {
  /** Default true: commands run in the sandbox where the platform has one. */
  readonly enabled?: boolean;
  /** Further absolute paths that commands may read. */
  readonly readable?: readonly string[];
  /** Further absolute paths that commands may write. */
  readonly writable?: readonly string[];
  /** Default false: credential files of the workspace (`.env`, …) are not there for commands. */
  readonly showCredentials?: boolean;
}

/** A program to run, and how. */
export interface SandboxedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly network: boolean;
  /** Absolute paths that this command may read beside the ordinary ones. */
  readonly readable: readonly string[];
}

/** Whether there is a sandbox, and what it does or why there is none. */
export interface SandboxStatus {
  readonly available: boolean;
  readonly description: string;
}

/**
 * The bubblewrap sandbox of one workspace (Linux). Whether it works is found out by running it once, on the
 * first question: an installed `bwrap` can still be forbidden to make user namespaces.
 */
export class Sandbox {
  readonly #root: string;
  readonly #options: SandboxOptions;
  readonly #credentials: CredentialFiles;
  #probe: { readonly status: SandboxStatus; readonly program: string | null } | null = null;
  #disableUserNamespaces = true;
  #temporary: Promise<string> | null = null;

  constructor(root: string, options: SandboxOptions) {
    this.#root = root;
    this.#options = options;
    this.#credentials = new CredentialFiles(root);
  }

  get status(): SandboxStatus {
    this.#probe ??= this.#look();
    return this.#probe.status;
  }

  /** The command inside the sandbox; call it only where {@link status} says that there is one. */
  async wrap(command: SandboxedCommand): Promise<Omit<SandboxedCommand, 'network' | 'readable'>> {
    const temporary = await this.#shared();
    const args = this.#arguments(command, temporary);
    return {
      file: this.#probe?.program ?? 'bwrap',
      args: [...args, command.file, ...command.args],
      cwd: '/',
      env: { ...command.env, TMPDIR: '/tmp' },
    };
  }

  /** Removes the commands' shared `/tmp`; idempotent. */
  async close(): Promise<void> {
    const temporary = await this.#temporary?.catch(() => null);
    this.#temporary = null;
    if (typeof temporary === 'string') await rm(temporary, { recursive: true, force: true });
  }

  #shared(): Promise<string> {
    this.#temporary ??= mkdtemp(join(tmpdir(), 'toolwright-tmp-'));
    return this.#temporary;
  }

  #arguments(
    command: Omit<SandboxedCommand, 'file' | 'args'>,
    temporary: string,
  ): readonly string[] {
    const { readable = [], writable = [], showCredentials = false } = this.#options;
    return bubblewrapArguments({
      root: this.#root,
      cwd: command.cwd,
      home: command.env['HOME'] ?? homedir(),
      temporary,
      searchPath: command.env['PATH'] ?? '',
      network: command.network,
      hidden: showCredentials ? [] : this.#credentials.find(),
      readable: [...readable, ...command.readable],
      writable,
      disableUserNamespaces: this.#disableUserNamespaces,
      kindOf,
      linkTarget: (path) => readlinkSync(path),
    });
  }

  #look(): { readonly status: SandboxStatus; readonly program: string | null } {
    const none = (description: string) => ({
      status: { available: false, description },
      program: null,
    });
    if (this.#options.enabled === false) return none('Switched off by the host.');
    if (process.platform !== 'linux') return none(`There is no sandbox for ${process.platform}.`);
    const program = findProgram('bwrap');
    if (program === null) {
      return none('bubblewrap is not installed (Debian, Ubuntu, Fedora: package "bubblewrap").');
    }
    const failure = this.#try(program);
    if (failure !== null) return none(`bubblewrap cannot run here: ${failure}`);
    const description =
      'bubblewrap: the workspace, /tmp and a throw-away home are writable, system directories are ' +
      'read-only, the network, other processes, credential files and the rest of the machine are absent.';
    return { status: { available: true, description }, program };
  }

  #try(program: string): string | null {
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
    let failure = '';
    for (const disable of [true, false]) {
      this.#disableUserNamespaces = disable;
      const command = { cwd: this.#root, env, network: false, readable: [] };
      const args = this.#arguments(command, tmpdir());
      const { status, stderr } = spawnSync(program, [...args, 'true'], {
        env,
        encoding: 'utf8',
        timeout: 10_000,
      });
      if (status === 0) return null;
      failure = (stderr ?? '').trim().slice(0, 200) || 'it ended with an error';
    }
    return failure;
  }
}

function findProgram(name: string): string | null {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(directory, name);
    try {
      accessSync(path, constants.X_OK);
      if (directory.startsWith('/')) return path;
    } catch {
      // not in this directory
    }
  }
  return null;
}

function kindOf(path: string): MountKind {
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return 'link';
    return stat.isDirectory() ? 'directory' : 'file';
  } catch {
    return 'absent';
  }
}

import { spawnSync } from 'node:child_process';
import { accessSync, constants, lstatSync, readlinkSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
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

/** What a {@link Sandbox} is made for. */
export interface SandboxSettings extends SandboxOptions {
  /** Real path of the workspace. */
  readonly root: string;
  /** The directory that becomes the commands' `/tmp`; made on first use, removed by `close`. */
  readonly temporary: string;
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
  readonly #options: SandboxSettings;
  readonly #credentials: CredentialFiles;
  #probe: { readonly status: SandboxStatus; readonly program: string | null } | null = null;
  #disableUserNamespaces = true;
  #made: Promise<void> | null = null;

  constructor(options: SandboxSettings) {
    this.#options = options;
    this.#credentials = new CredentialFiles(options.root);
  }

  get status(): SandboxStatus {
    this.#probe ??= this.#look();
    return this.#probe.status;
  }

  /** The command inside the sandbox; call it only where {@link status} says that there is one. */
  async wrap(command: SandboxedCommand): Promise<Omit<SandboxedCommand, 'network' | 'readable'>> {
    const { temporary } = this.#options;
    this.#made ??= mkdir(temporary, { mode: 0o700 });
    await this.#made;
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
    await this.#made?.catch(() => undefined);
    this.#made = null;
    await rm(this.#options.temporary, { recursive: true, force: true });
  }

  #arguments(
    command: Omit<SandboxedCommand, 'file' | 'args'>,
    temporary: string,
  ): readonly string[] {
    const { root, readable = [], writable = [], showCredentials = false } = this.#options;
    return bubblewrapArguments({
      root,
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
      const command = { cwd: this.#options.root, env, network: false, readable: [] };
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

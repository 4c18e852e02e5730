import type { CancelOptions } from './files.ts';

/** How a command is confined. */
export type SandboxMode = 'sandboxed' | 'unconfined';

/** A command to start. */
export interface SpawnRequest extends CancelOptions {
  /** A shell command line, or a program with its arguments (no shell). */
  readonly command:
    | { readonly kind: 'shell'; readonly line: string }
    | { readonly kind: 'program'; readonly file: string; readonly args: readonly string[] };
  /** Workspace directory. Default: the root. */
  readonly cwd?: string;
  /** Added to the clean environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: `sandboxed` where the workspace has a sandbox. */
  readonly sandbox?: SandboxMode;
  /** Let the sandboxed command reach the network. Default false. */
  readonly network?: boolean;
  /** `closed` (default) or `pipe`, which `ProcessHandle.writeInput` feeds. */
  readonly input?: 'closed' | 'pipe';
}

/** A process that still runs after its command has ended. */
export interface BackgroundProcess {
  readonly pid: number;
  readonly command: string;
}

/** How a command ended. */
export interface ProcessExit {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Members of its tree that were still running when it exited. */
  readonly background: readonly BackgroundProcess[];
}

/** A piece of output, in the order of arrival. */
export interface ProcessOutput {
  readonly stream: 'stdout' | 'stderr';
  /** Good until the next piece is asked for, then perhaps overwritten: copy what is to be kept. */
  readonly bytes: Uint8Array;
}

/** A running command, the leader of its own process group. */
export interface ProcessHandle {
  readonly pid: number;
  readonly sandboxed: boolean;
  /** Both streams, in order of arrival, until both have ended or the handle is closed; one consumer. */
  readonly output: AsyncIterable<ProcessOutput>;
  /** Settles when the command itself has exited, even while a child still holds its pipes. */
  readonly exit: Promise<ProcessExit>;
  writeInput(bytes: Uint8Array): Promise<void>;
  endInput(): Promise<void>;
  /**
   * Workspace paths, sorted, that were created, changed or deleted since the command started, by whomever;
   * what git ignores is left out. Null when that cannot be told.
   */
  changedPaths(): Promise<readonly string[] | null>;
  /** What runs of the tree now, the command itself left out. */
  members(): Promise<readonly BackgroundProcess[]>;
  /** Sends a signal to the whole tree. */
  kill(signal?: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP'): Promise<void>;
  /**
   * Ends the whole tree and releases the pipes; idempotent. Returns what could not be ended; processes
   * that the platform gives no way to find are not among them.
   */
  close(): Promise<readonly BackgroundProcess[]>;
}

/** The language in which a workspace takes command lines. */
export type ShellKind = 'bash' | 'sh' | 'powershell';

/** Starting commands. Aborting the request's signal ends the whole tree. */
export interface WorkspaceProcesses {
  /** Whether a sandbox is there, what it limits, or why there is none. */
  readonly sandbox: { readonly available: boolean; readonly description: string };
  readonly shell: ShellKind;
  spawn(request: SpawnRequest): Promise<ProcessHandle>;
}

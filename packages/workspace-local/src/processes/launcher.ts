import type { Writable } from 'node:stream';
import type { OutputSource } from './output-source.ts';

/** A process that still runs after the command that left it. */
export interface LeftProcess {
  readonly pid: number;
  /** Its command line, cut at 200 characters. */
  readonly command: string;
}

/** A program to start, with everything decided: no lookups of policy, environment or sandbox happen below. */
export interface LaunchRequest {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute directory. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether standard input is a pipe; otherwise it is closed (reads end at once). */
  readonly input: boolean;
  /** Unique text that is part of the environment, by which members of the tree are recognised. */
  readonly token: string;
  /** The program is the sandbox's own launcher; graceful signals pass it by and reach what it runs. */
  readonly sandboxed: boolean;
}

/** How a launched program ended. */
export interface LaunchExit {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Members of its tree that were still running. */
  readonly left: readonly LeftProcess[];
}

/** A running program, the leader of its own process group and session. */
export interface LaunchedProcess {
  readonly pid: number;
  /** Null when the request had no input. */
  readonly stdin: Writable | null;
  readonly stdout: OutputSource;
  readonly stderr: OutputSource;
  /** Settles at the program's own exit, whoever still holds its pipes; never rejects. */
  readonly exited: Promise<LaunchExit>;
  /** What runs of the tree now, the program itself left out. */
  members(): Promise<readonly LeftProcess[]>;
  /** Signals every member of the tree once. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Ends the tree: SIGTERM, a grace period, SIGKILL until nothing is found. Returns what survived. */
  end(): Promise<readonly LeftProcess[]>;
}

/** A way to start programs. */
export interface Launcher {
  launch(request: LaunchRequest): Promise<LaunchedProcess>;
  /** Ends everything that was launched; idempotent. */
  close(): Promise<void>;
}

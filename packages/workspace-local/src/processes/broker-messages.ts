import type { LeftProcess } from './launcher.ts';

/** What the host asks of the broker. Pipes are paths of FIFOs; the broker opens the command's ends. */
export type BrokerRequest =
  | {
      readonly type: 'start';
      readonly id: number;
      readonly file: string;
      readonly args: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly token: string;
      readonly sandboxed: boolean;
      readonly stdin: string | null;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly type: 'signal'; readonly id: number; readonly signal: NodeJS.Signals }
  | { readonly type: 'end'; readonly id: number }
  | { readonly type: 'members'; readonly id: number }
  | { readonly type: 'make_pipes'; readonly count: number }
  | { readonly type: 'drop_pipe'; readonly path: string };

/** What the broker answers. */
export type BrokerAnswer =
  | { readonly type: 'ready'; readonly tasksLimited: boolean }
  | { readonly type: 'pipes'; readonly paths: readonly string[] }
  | { readonly type: 'started'; readonly id: number; readonly pid: number }
  | {
      readonly type: 'failed';
      readonly id: number;
      /** The system's error code, such as `ENOENT`. */
      readonly code: string;
      readonly message: string;
    }
  | {
      readonly type: 'exited';
      readonly id: number;
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly left: readonly LeftProcess[];
    }
  | { readonly type: 'members'; readonly id: number; readonly members: readonly LeftProcess[] }
  | { readonly type: 'signalled'; readonly id: number }
  | { readonly type: 'ended'; readonly id: number; readonly survivors: readonly LeftProcess[] };

/** How the broker was configured when it was started. */
export interface BrokerSettings {
  /** Directory for the FIFOs, made by the host; the broker removes it when it ends. */
  readonly directory: string;
  /** Another directory that must not outlive the commands; it need not be there. */
  readonly scratch: string;
  /** Tasks (processes and threads) that all commands may have together. */
  readonly maxTasks: number;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

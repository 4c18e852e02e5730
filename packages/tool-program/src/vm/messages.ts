import type { JsonValue } from '@toolwright/core';
import type { Engine } from './engine.ts';

/** What a worker is made with. */
export interface WorkerSettings {
  readonly shared: SharedArrayBuffer;
  /** Where scripts and answers are left for the worker, and what it tells. */
  readonly mailbox: SharedArrayBuffer;
  /** Whether it may look for answers a moment before it sleeps. */
  readonly isPatient: boolean;
  /** Bytes that a script may allocate. */
  readonly memoryBytes: number;
  /** Bytes of VM memory above which a worker is not used again. */
  readonly retireBytes: number;
}

/** A script with all that the VM has to know of it. */
export interface VmJob {
  readonly source: string;
  readonly language: 'javascript' | 'typescript';
  /** What stack lines call the script. */
  readonly fileName: string;
  /** The JSON of what our guest code is told: `StartSettings` there. */
  readonly settings: string;
  /** UTF-8 bytes of the value that it returns, as JSON. */
  readonly maxResultBytes: number;
  /** Milliseconds since 1970 when the script starts. */
  readonly startMs: number;
  /** Whether the script's clock stands still between answers, so that a replay sees the same times. */
  readonly steadyClock: boolean;
}

/** Host to worker, as a message: what is no text, or does not fit into the mailbox. */
export type ToWorker =
  /** First of all, once it is loaded: the thread starts meanwhile. */
  | { readonly type: 'engine'; readonly engine: Engine }
  | { readonly type: 'run'; readonly job: VmJob }
  | { readonly type: 'answers'; readonly answers: readonly VmAnswer[] }
  /** Gives up the script, where it waits; one that runs sees the shared flag. */
  | { readonly type: 'stop' };

/** A call that the script made. */
export interface VmCall {
  readonly id: number;
  readonly kind: 'tool' | 'catalog';
  readonly name: string;
  /** Null where they nest too deeply to be walked. */
  readonly args: JsonValue;
  readonly tooDeep: boolean;
}

/** The answer to a call. */
export interface VmAnswer {
  readonly id: number;
  /** JSON of the record. */
  readonly json: string;
  /** Milliseconds since 1970; moves a steady clock. */
  readonly nowMs: number;
}

/** What went wrong inside a script. */
export interface ScriptFailure {
  /** A stable word: `syntax`, `import`, `no_entry`, `uncaught`, `deadlock`, `result`, `stack_overflow`. */
  readonly reason:
    | 'syntax'
    | 'import'
    | 'no_entry'
    | 'uncaught'
    | 'deadlock'
    | 'result'
    | 'stack_overflow';
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** 1-based, in the script as it was given. */
  readonly line: number | null;
  readonly column: number | null;
}

/** How a script ended, as far as the VM can tell. */
export type VmEnd =
  | { readonly type: 'success'; readonly json: string }
  | { readonly type: 'script_error'; readonly failure: ScriptFailure }
  | { readonly type: 'result_too_large'; readonly bytes: number }
  | { readonly type: 'out_of_memory' }
  | { readonly type: 'stopped' }
  | { readonly type: 'fault'; readonly message: string };

/** What a worker tells at the end of a script. */
export interface VmEnded {
  readonly type: 'end';
  readonly end: VmEnd;
  readonly droppedLines: number;
  /** Calls that were refused because the limit was reached. */
  readonly refusedCalls: number;
  /** Whether the worker is to be replaced. */
  readonly retire: boolean;
}

/** Worker to host, as a message: that it is there, and what does not fit into the mailbox. */
export type FromWorker =
  | { readonly type: 'ready' }
  /** A JSON list of calls. */
  | { readonly type: 'calls'; readonly calls: string }
  | VmEnded;

import type { JsonObject } from '@toolwright/core';
import type { ProgramSource } from './load-source.ts';

/** A program to run, validated and with every default filled in. */
export interface ProgramRequest {
  readonly source: ProgramSource;
  readonly inputs: JsonObject;
  readonly allowedTools: readonly string[] | undefined;
  readonly timeoutMs: number;
  readonly maxToolCalls: number;
  readonly maxOutputBytes: number;
  readonly runId: string | undefined;
}

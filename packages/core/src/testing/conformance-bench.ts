import { toolErrorTypes } from '../errors/error-type.ts';
import type { JsonObject } from '../json/json.ts';
import type { Tool } from '../tool/tool.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { createValidator } from '../validation/validator.ts';
import type { WorkspaceRecord } from './recording-workspace.ts';

/** One call on a fresh workspace, and what was seen of it. */
export interface Observed {
  readonly result: ToolResult;
  readonly record: WorkspaceRecord;
  /** The same some milliseconds after the session closed: what came late shows here. */
  readonly later: WorkspaceRecord;
  /** The same at the moment at which the tool itself settled: what it had not closed then, the kernel closed for it. */
  readonly settled: WorkspaceRecord;
  /** What the tool tried and had not declared, also where it kept quiet about it. */
  readonly refused: readonly string[];
  /** Of several calls the results of the others. */
  readonly others: readonly ToolResult[];
  /** What the files of the workspace are in the end, as one text; empty unless it was asked for. */
  readonly state: string;
  /** The tool had not settled some seconds after its call was cancelled. */
  readonly goesOn: boolean;
}

/** When a call is cancelled. */
export type CancelAt = number | 'soon';

/** How a call is made. */
export interface Observation {
  /** Aborts it at that operation of the workspace, 0 before it begins, `soon` some milliseconds later. */
  readonly cancelAt?: CancelAt;
  /** How often it is made, one after the other or all at once. Default 1. */
  readonly times?: number;
  readonly atOnce?: boolean;
  /** Whether to look at all files afterwards. Default false. */
  readonly state?: boolean;
  /** Makes of a result the arguments of another call; undefined ends it. */
  readonly next?: (result: ToolResult) => JsonObject | undefined;
}

/** What a check may use. */
export interface Bench {
  readonly tool: Tool;
  readonly varies: boolean;
  /** Makes a call on a fresh workspace. */
  observe(args: JsonObject, how?: Observation): Promise<Observed>;
}

/** The arguments that a tool gives as its examples, as its own schema admits them. Errors: a refused example. */
export function examplesOf(tool: Tool): readonly JsonObject[] {
  const validator = createValidator(tool.input);
  return tool.examples.map((example, index) => {
    const checked = validator.validate(example);
    if (!checked.valid) throw new Error(`Example ${index + 1} is refused: ${checked.message}`);
    if (checked.repairs.length > 0) throw new Error(`Example ${index + 1} needs to be repaired.`);
    return checked.value;
  });
}

/** Throws unless an error is absent or one of the closed list and no defect. */
export function assertTyped({ error }: ToolResult): void {
  if (error === null) return;
  if (!toolErrorTypes.includes(error.type) || error.type === 'internal') {
    throw new Error(`It failed with ${error.type}: ${error.message}`);
  }
}

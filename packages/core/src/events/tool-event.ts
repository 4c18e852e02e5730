import type { PendingApproval } from '../approval/approval.ts';
import type { ToolErrorObject } from '../errors/tool-error.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { Effect } from '../tool/effects.ts';
import type { Origin } from '../tool/tool-call.ts';
import type { ToolCapabilities } from '../tool/capabilities.ts';

/** What every event carries. `seq` grows by one an event of the session; gaps mean dropped events. */
export interface EventEnvelope {
  readonly seq: number;
  readonly session_id: string;
  readonly invocation_id: string;
  readonly parent_id: string | null;
  readonly origin: Origin;
}

/** What happened, by `type`; the names and fields of A3S Code where it has them. */
export type ToolEventBody =
  | { readonly type: 'tool_start'; readonly id: string; readonly name: string }
  | {
      readonly type: 'tool_request_bound';
      readonly tool_id: string;
      readonly tool_name: string;
      /** Digests alone: no argument values. */
      readonly snapshot: {
        readonly definition_digest: string;
        readonly arguments_digest: string;
        readonly capabilities: ToolCapabilities;
        readonly effects: readonly Effect[];
      };
    }
  | {
      readonly type: 'tool_execution_start';
      readonly id: string;
      readonly name: string;
      readonly args: JsonObject;
    }
  | {
      readonly type: 'tool_output_delta';
      readonly id: string;
      readonly name: string;
      readonly delta: string;
    }
  | {
      readonly type: 'tool_progress';
      readonly id: string;
      readonly name: string;
      readonly message?: string;
      readonly current?: number;
      readonly total?: number;
      readonly data?: JsonObject;
    }
  | {
      readonly type: 'tool_end';
      readonly id: string;
      readonly name: string;
      readonly state: 'completed' | 'rejected' | 'cancelled' | 'failed';
      readonly args?: JsonValue;
      readonly output: string;
      readonly exit_code: 0 | 1;
      readonly metadata: JsonObject;
      readonly error: ToolErrorObject | null;
    }
  | {
      readonly type: 'tool_late_result';
      readonly id: string;
      readonly name: string;
      /** Whether the tool came to a value or an error after its call had ended. */
      readonly outcome: 'value' | 'error';
      readonly artifact_uri: string | null;
    }
  | {
      readonly type: 'permission_denied';
      readonly tool_id: string;
      readonly tool_name: string;
      readonly args: JsonObject;
      readonly reason: string;
    }
  | {
      /** A running tool tried what its call had not declared; told also where the tool itself keeps quiet about it. */
      readonly type: 'effect_refused';
      readonly tool_id: string;
      readonly tool_name: string;
      readonly message: string;
    }
  | {
      readonly type: 'confirmation_required';
      readonly tool_id: string;
      readonly tool_name: string;
      readonly args: JsonObject;
      readonly approval: PendingApproval;
    }
  | {
      readonly type: 'confirmation_received';
      readonly tool_id: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | {
      readonly type: 'user_question';
      readonly question_id: string;
      readonly question: string;
      readonly options: readonly string[];
    }
  | { readonly type: 'task_updated'; readonly tasks: readonly JsonObject[] }
  | {
      readonly type: 'budget_threshold_hit';
      readonly resource: string;
      readonly kind: 'soft' | 'hard';
      readonly consumed: number;
      readonly limit: number;
      readonly message?: string;
    }
  | {
      readonly type: 'hook_failed';
      readonly tool_id: string;
      readonly hook: string;
      readonly stage: 'before_hooks' | 'after_hooks' | 'confirm';
      readonly message: string;
    }
  | {
      readonly type: 'subagent_start';
      readonly task_id: string;
      readonly agent: string;
      readonly description: string;
    }
  | {
      readonly type: 'subagent_progress';
      readonly task_id: string;
      readonly status: string;
      readonly metadata: JsonObject;
    }
  | {
      readonly type: 'subagent_end';
      readonly task_id: string;
      readonly agent: string;
      readonly output: string;
      readonly success: boolean;
    };

/** One event of a session. */
export type ToolEvent = EventEnvelope & ToolEventBody;

/** How to listen. */
export interface EventOptions {
  /** Events held for a consumer that lags, at most; then deltas and progress are dropped first. Default 1,024. */
  readonly capacity?: number;
  readonly signal?: AbortSignal;
}

/**
 * The events of a session from the moment of the call on, ordered; iterate once. Deltas and progress can be
 * dropped for a consumer that lags, and are counted; `tool_end` and confirmations never are: who reads slowly holds them
 * all. A stream of which nothing was read while 16,384 events came (16 times its capacity if that is more) ends: reading it
 * then throws `limit_exceeded` (`events_unread`), so that nobody takes it for complete.
 */
export interface EventStream extends AsyncIterable<ToolEvent> {
  /** Events dropped for this consumer so far. */
  readonly dropped: number;
  close(): void;
}

import type { JsonObject, JsonValue } from '../json/json.ts';
import { toolErrorTypes, type Stage, type ToolErrorType } from './error-type.ts';

/**
 * The wire form of a failure: plain JSON, the same object in results and in events. Kinds that A3S Code
 * has keep its field names beside the common ones: `path`, `expected`, `actual` (version_conflict), `op`,
 * `duration_ms` (timeout), `retry_after_ms` (hook_denied, rate_limited), `failed`, `total`
 * (partial_failure), `code` (remote_git_conflict). Tools add their own, such as `candidates`.
 */
export interface ToolErrorObject {
  readonly type: ToolErrorType;
  /** A stable snake_case word for the case, such as `outside_workspace`. */
  readonly reason?: string;
  /** The stage of the kernel in which the call failed. */
  readonly stage: Stage;
  /** What was wrong, with which field or path, and what to do next. */
  readonly message: string;
  /** Prose of a hook, a server or a person; untrusted. */
  readonly detail?: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  readonly [field: string]: JsonValue | undefined;
}

/** What a {@link ToolError} is made from. */
export interface ToolErrorOptions {
  readonly reason?: string;
  readonly detail?: string;
  /** Default: true for `rate_limited` and `timeout`, else false. */
  readonly retryable?: boolean;
  /** Further wire fields, such as `path` or `candidates`. */
  readonly fields?: JsonObject;
  /** Text for the model beside the message: partial output, candidates, what to do next. */
  readonly output?: string;
  /** Metadata of the failed result. */
  readonly metadata?: JsonObject;
  readonly cause?: unknown;
}

const marker = Symbol.for('toolwright.tool-error');

/**
 * An expected failure of a tool or a service: throw it, and the kernel makes it a typed result.
 * `ToolError.isInstance` also recognises instances of another copy of this package.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly type: ToolErrorType;
  readonly reason: string | undefined;
  readonly detail: string | undefined;
  readonly retryable: boolean;
  readonly fields: JsonObject;
  readonly output: string | undefined;
  readonly metadata: JsonObject | undefined;

  constructor(type: ToolErrorType, message: string, options: ToolErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    if (!toolErrorTypes.includes(type)) throw new TypeError(`Unknown tool error type: ${type}`);
    this.type = type;
    this.reason = options.reason;
    this.detail = options.detail;
    this.retryable = options.retryable ?? (type === 'rate_limited' || type === 'timeout');
    this.fields = options.fields ?? {};
    this.output = options.output;
    this.metadata = options.metadata;
    Object.defineProperty(this, marker, { value: true });
  }

  /** Whether `value` is a ToolError, of this copy of the package or of another. */
  static isInstance(value: unknown): value is ToolError {
    try {
      return typeof value === 'object' && value !== null && marker in value;
    } catch {
      // A proxy may refuse even this question.
      return false;
    }
  }

  /** The wire form, with the stage in which the failure arose. */
  toObject(stage: Stage): ToolErrorObject {
    return {
      ...this.fields,
      type: this.type,
      ...(this.reason === undefined ? {} : { reason: this.reason }),
      stage,
      message: this.message,
      ...(this.detail === undefined ? {} : { detail: this.detail }),
      retryable: this.retryable,
    };
  }
}

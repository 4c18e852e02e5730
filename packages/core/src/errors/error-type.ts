/**
 * The closed taxonomy of failures. Callers classify by `type` and, where they need the exact case, by
 * `reason` (a stable snake_case word); never by message text.
 */
export type ToolErrorType =
  | 'invalid_argument'
  | 'not_found'
  | 'unknown_tool'
  | 'unsupported'
  | 'permission_denied'
  | 'confirmation_rejected'
  | 'hook_denied'
  | 'budget_exceeded'
  | 'recursion'
  | 'version_conflict'
  | 'remote_git_conflict'
  | 'effect_violation'
  | 'timeout'
  | 'cancelled'
  | 'transport'
  | 'rate_limited'
  | 'partial_failure'
  | 'script_error'
  | 'limit_exceeded'
  | 'session_closed'
  | 'internal';

/** Every error type, in a fixed order. */
export const toolErrorTypes: readonly ToolErrorType[] = [
  'invalid_argument',
  'not_found',
  'unknown_tool',
  'unsupported',
  'permission_denied',
  'confirmation_rejected',
  'hook_denied',
  'budget_exceeded',
  'recursion',
  'version_conflict',
  'remote_git_conflict',
  'effect_violation',
  'timeout',
  'cancelled',
  'transport',
  'rate_limited',
  'partial_failure',
  'script_error',
  'limit_exceeded',
  'session_closed',
  'internal',
];

/** The kernel's stages, in order; an error names the one in which it arose. */
export type Stage =
  | 'resolve'
  | 'guard'
  | 'validate'
  | 'before_hooks'
  | 'describe'
  | 'policy'
  | 'budget'
  | 'confirm'
  | 'admit'
  | 'run'
  | 'sanitise'
  | 'project'
  | 'after_hooks'
  | 'end';

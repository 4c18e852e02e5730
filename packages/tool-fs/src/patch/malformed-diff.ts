import { ToolError } from '@toolwright/core';

/**
 * The error for a diff that cannot be read: `invalid_argument`, with the line of the diff as `diff_line`.
 *
 * @param diffLine 1-based
 */
export function malformedDiff(
  diffLine: number,
  message: string,
  reason: 'malformed_diff' | 'hunk_counts' = 'malformed_diff',
): ToolError {
  return new ToolError('invalid_argument', `Line ${diffLine} of the diff: ${message}`, {
    reason,
    fields: { diff_line: diffLine },
  });
}

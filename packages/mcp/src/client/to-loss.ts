import { ToolError } from '@toolwright/core';
import type { LinkLostError } from './call-tool.ts';
import type { Link } from './open-link.ts';

/** What is known of the connection that was lost. */
export interface LostLink {
  /** The server's name in the config. */
  readonly server: string;
  readonly link: ReturnType<Link['facts']>;
  readonly needsAuth: boolean;
}

/**
 * The `transport` error of a call whose connection was lost: `session_expired`, `needs_auth` or `server_unavailable`
 * (retryable: the server has not got the call), or `uncertain_outcome` (it may have run).
 */
export function toLoss(error: LinkLostError, lost: LostLink): ToolError {
  const { server, link, needsAuth } = lost;
  const why = error.message.replace(/\.$/, '');
  const ended = link?.ended === undefined ? '' : ` (${link.ended})`;
  const said = link?.stderrTail.trim().split('\n').at(-1) ?? '';
  const detail = said === '' ? {} : { detail: `stderr: ${said.slice(0, 500)}` };
  if (error.sessionExpired) {
    return new ToolError('transport', `The MCP server ${server} forgot its session twice.`, {
      reason: 'session_expired',
      cause: error,
    });
  }
  if (!error.mayHaveRun) {
    return new ToolError(
      'transport',
      `The MCP server ${server} cannot be reached: ${why}${ended}. It has not got the call.`,
      {
        reason: needsAuth ? 'needs_auth' : 'server_unavailable',
        retryable: true,
        cause: error,
        ...detail,
      },
    );
  }
  return new ToolError(
    'transport',
    `The MCP server ${server} went away during the call${ended}: ${why}. Whether the call took effect is not known; look before you repeat it.`,
    { reason: 'uncertain_outcome', retryable: false, cause: error, ...detail },
  );
}

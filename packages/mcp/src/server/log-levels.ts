import type { LoggingLevel } from '@modelcontextprotocol/server';

/** From the least to the most severe (RFC 5424). */
export const levels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Whether a message of this level is sent to who asked for `wanted` and above. */
export function isLogged(level: LoggingLevel, wanted: LoggingLevel): boolean {
  return levels.indexOf(level) >= levels.indexOf(wanted);
}

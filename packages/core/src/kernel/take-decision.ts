import type { BeforeToolDecision } from '../hooks/hooks.ts';
import type { JsonObject } from '../json/json.ts';

/** What a hook answered: any field may be anything. */
interface Answered {
  readonly action?: unknown;
  readonly reason?: unknown;
  readonly arguments?: unknown;
  readonly retryAfterMs?: unknown;
}

/**
 * A before-hook's decision as a private copy, each field read once. A hook that answers nothing at all only looked on, like
 * a permission hook that leaves the answer to others. Errors: `TypeError` for what is no decision, and whatever reading it throws.
 */
export function takeDecision(answered: unknown): BeforeToolDecision {
  if (answered === undefined) return { action: 'continue' };
  if (typeof answered !== 'object' || answered === null) {
    throw new TypeError('it answered nothing usable');
  }
  const { action, reason: why, arguments: args, retryAfterMs }: Answered = answered;
  const reason = typeof why === 'string' ? why : undefined;
  switch (action) {
    case 'continue':
      return { action };
    case 'rewrite':
      if (args === undefined) throw new TypeError('it rewrites the arguments and gives none');
      return {
        action,
        // Whatever it is, it is validated like the arguments of the call.
        arguments: args as JsonObject,
        ...(reason === undefined ? {} : { reason }),
      };
    case 'deny':
      return { action, reason: reason ?? '' };
    case 'retry':
      if (typeof retryAfterMs !== 'number' || !(retryAfterMs >= 0) || retryAfterMs === Infinity) {
        throw new TypeError('it puts the call off for no number of milliseconds');
      }
      return { action, reason: reason ?? '', retryAfterMs };
    default:
      throw new TypeError('its action is none of continue, rewrite, deny and retry');
  }
}

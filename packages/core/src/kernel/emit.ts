import type { ToolEventBody } from '../events/tool-event.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';

/** Tells listeners of an event, secrets hidden; without listeners, or of a call that is only looked at, it is not even built. */
export function emit(
  session: KernelSession,
  invocation: Invocation,
  body: () => ToolEventBody,
): void {
  if (!session.events.active || invocation.quiet) return;
  const event = body();
  const safe = session.sanitiser.active ? session.sanitiser.json(event) : event;
  session.events.emit(session.id, invocation, safe);
}

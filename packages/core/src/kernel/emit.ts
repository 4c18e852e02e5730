import type { ToolEvent, ToolEventBody } from '../events/tool-event.ts';
import type { Sanitiser } from '../sanitise/sanitiser.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';

/** Tells listeners of an event, secrets hidden; without listeners, or of a call that is only looked at, it is not even built. */
export function emit(
  session: KernelSession,
  invocation: Invocation,
  body: () => ToolEventBody,
): void {
  emitWhole(session, invocation, (seq) => ({
    seq,
    session_id: session.id,
    invocation_id: invocation.id,
    parent_id: invocation.parentId,
    origin: invocation.origin,
    ...body(),
  }));
}

/**
 * The same for an event that is built with its envelope. Those of every call are built so, key by key: V8 takes longer for
 * the spread above than for all else that an event costs.
 */
export function emitWhole(
  session: KernelSession,
  invocation: Invocation,
  build: (seq: number) => ToolEvent,
): void {
  const { events, sanitiser } = session;
  if (!events.active || invocation.quiet) return;
  const event = build(events.nextSeq());
  events.emit(sanitiser.active ? withHidden(event, sanitiser) : event);
}

/** Its ids stay: they are the host's own, and with something hidden they would name another call. */
function withHidden(event: ToolEvent, sanitiser: Sanitiser): ToolEvent {
  const { seq, session_id, invocation_id, parent_id, origin } = event;
  return { ...sanitiser.json(event), seq, session_id, invocation_id, parent_id, origin };
}

/** Thrown by a session's methods after `close()`; a call that was running then ends as a result instead. */
export class SessionClosedError extends Error {
  override readonly name = 'SessionClosedError';
  readonly type = 'session_closed';

  constructor(sessionId: string) {
    super(`Session ${sessionId} is closed; open a new one with host.open().`);
  }
}

import type { Session } from '@toolwright/core';

/** The same session; when it is closed, `after` is run too, once. A session does not close the services that its host made. */
export function closingWith(session: Session, after: () => Promise<void>): Session {
  const close = session.close.bind(session);
  let closing: Promise<void> | undefined;
  const closeBoth = async (): Promise<void> => {
    try {
      await close();
    } finally {
      await after();
    }
  };
  return Object.assign(session, {
    close: async () => {
      closing ??= closeBoth();
      await closing;
    },
  });
}

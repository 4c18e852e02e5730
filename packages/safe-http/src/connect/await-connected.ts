import type { Socket } from 'node:net';
import { untilAborted } from '../client/until-aborted.ts';

/** Waits until a socket is connected; one that cannot be, or is given up, is destroyed. Errors: the socket's own, the signal's reason. */
export async function awaitConnected<S extends Socket>(socket: S, signal: AbortSignal): Promise<S> {
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  try {
    await untilAborted(connected, signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

import type { Link } from './open-link.ts';

/** Milliseconds after which a stream of changes that broke off is asked for again; doubled while it is refused. */
const LISTEN_AGAIN_MS = 1_000;
const MAX_LISTEN_AGAIN_MS = 30_000;

/**
 * Keeps the stream of changes of a link of the newer protocol, which tells of them only on a stream that the client asks
 * for, and asks for again: as long as `isCurrent` says so. `notice` is told when something may have changed unheard.
 */
export async function listenForChanges(
  link: Link,
  told: { readonly isCurrent: () => boolean; readonly notice: () => void },
): Promise<void> {
  if (link.client.getServerCapabilities()?.tools?.listChanged !== true) return;
  let waitMs = LISTEN_AGAIN_MS;
  let hasListened = false;
  while (told.isCurrent()) {
    try {
      const subscription = await link.client.listen({ toolsListChanged: true });
      waitMs = LISTEN_AGAIN_MS;
      // What changed while nobody listened.
      if (hasListened) told.notice();
      hasListened = true;
      if ((await subscription.closed) !== 'remote') return;
    } catch {
      // A server that offers no stream at all keeps its list until the next connection.
      if (!hasListened) return;
      waitMs = Math.min(waitMs * 2, MAX_LISTEN_AGAIN_MS);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, waitMs).unref();
    });
  }
}

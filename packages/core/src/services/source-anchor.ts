/**
 * The form of a URL that may be shown, logged and kept (`metadata.source_anchors`): scheme, host, port and path. Userinfo, query
 * and fragment can hold secrets and are left out. Errors: `TypeError` for text that is no URL.
 */
export function toSourceAnchor(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

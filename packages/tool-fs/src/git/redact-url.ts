/** The URL of a remote without user names, passwords and query: any of them can be a token. */
export function redactUrl(url: string): string {
  const parsed = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)([^?#]*)/is.exec(url);
  if (parsed === null) return url; // `host:path`, where a user is no secret, or a file
  const [, scheme = '', authority = '', path = ''] = parsed;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return `${scheme}${host}${path}`;
}

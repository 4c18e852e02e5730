const LOCAL_NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'localhost.localdomain',
  'localhost6',
  'localhost6.localdomain6',
  'ip6-localhost',
  'ip6-loopback',
  'loopback',
]);

/** RFC 6762 (multicast DNS), RFC 8375 (home networks), and the name that ICANN reserved for private use. */
const PRIVATE_SUFFIXES: readonly string[] = ['.local', '.home.arpa', '.internal', '.localdomain'];

/**
 * Says whether a host name means this machine, whatever a resolver answers (RFC 6761): `localhost`, names under it, and the
 * usual names of the hosts file. Trailing dots do not matter; the name is expected in lower case, as a URL parser gives it.
 */
export function isLocalName(hostname: string): boolean {
  const name = withoutTrailingDots(hostname);
  return LOCAL_NAMES.has(name) || name.endsWith('.localhost');
}

/**
 * Says whether a host name can only mean something on a private network: it has no dot, or a suffix reserved for such.
 * Used where the guard cannot see the address itself, behind a proxy.
 */
export function isPrivateName(hostname: string): boolean {
  const name = withoutTrailingDots(hostname);
  return !name.includes('.') || PRIVATE_SUFFIXES.some((suffix) => name.endsWith(suffix));
}

function withoutTrailingDots(hostname: string): string {
  let end = hostname.length;
  while (end > 0 && hostname[end - 1] === '.') {
    end -= 1;
  }
  return hostname.slice(0, end);
}

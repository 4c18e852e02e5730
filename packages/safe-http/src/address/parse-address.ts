import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as its bytes in network order: 4 for IPv4, 16 for IPv6. */
export interface Address {
  readonly family: 4 | 6;
  readonly bytes: Uint8Array;
  /** The one spelling used for comparisons: dotted decimal, or IPv6 in full lower-case groups without leading zeros. */
  readonly text: string;
}

/**
 * Reads an IP address as a resolver or a URL parser prints it.
 *
 * An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`) is returned as the IPv4 address that a socket would really reach.
 * Zone identifiers (`fe80::1%eth0`), short forms (`127.1`), octal and hexadecimal spellings are no addresses here: `undefined`.
 */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) {
    return fromIpv4Bytes(ipv4Bytes(text));
  }
  if (text.includes('%') || !isIPv6(text)) {
    return undefined;
  }
  const bytes = ipv6Bytes(text);
  const isMapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (isMapped) {
    return fromIpv4Bytes(bytes.slice(12));
  }
  return { family: 6, bytes, text: ipv6Text(bytes) };
}

/** Builds the address of four bytes in network order. */
export function fromIpv4Bytes(bytes: Uint8Array): Address {
  return { family: 4, bytes, text: bytes.join('.') };
}

function ipv4Bytes(text: string): Uint8Array {
  return Uint8Array.from(text.split('.'), Number);
}

function ipv6Bytes(text: string): Uint8Array {
  const [head = '', tail] = text.split('::');
  const before = groupBytes(head);
  const after = tail === undefined ? [] : groupBytes(tail);
  const gap: number[] = Array.from({ length: 16 - before.length - after.length }, () => 0);
  return Uint8Array.from([...before, ...gap, ...after]);
}

function groupBytes(part: string): number[] {
  if (part === '') {
    return [];
  }
  return part.split(':').flatMap((group) => {
    if (group.includes('.')) {
      return [...ipv4Bytes(group)];
    }
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function ipv6Text(bytes: Uint8Array): string {
  const groups: string[] = [];
  for (let index = 0; index < 16; index += 2) {
    groups.push((((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0)).toString(16));
  }
  return groups.join(':');
}

/** A block of addresses that is no public destination. */
export interface AddressBlock {
  /** `address/length`, the lowest address of the block. */
  readonly prefix: string;
  /** What the block is for, as the registry words it. */
  readonly purpose: string;
}

/**
 * IPv4 blocks that a request must not reach.
 *
 * Source: IANA IPv4 Special-Purpose Address Registry (RFC 6890 and updates), all entries that are not globally reachable,
 * and the whole of 192.0.0.0/24; multicast (RFC 5771); Class E (RFC 1112); and the platform address that cloud
 * guests reach at a public-looking address.
 */
export const IPV4_BLOCKS: readonly AddressBlock[] = [
  { prefix: '0.0.0.0/8', purpose: 'this network' },
  { prefix: '10.0.0.0/8', purpose: 'private use' },
  { prefix: '100.64.0.0/10', purpose: 'shared address space' },
  { prefix: '127.0.0.0/8', purpose: 'loopback' },
  { prefix: '168.63.129.16/32', purpose: 'cloud platform service' },
  { prefix: '169.254.0.0/16', purpose: 'link local' },
  { prefix: '172.16.0.0/12', purpose: 'private use' },
  { prefix: '192.0.0.0/24', purpose: 'IETF protocol assignments' },
  { prefix: '192.0.2.0/24', purpose: 'documentation' },
  { prefix: '192.88.99.0/24', purpose: '6to4 relay anycast' },
  { prefix: '192.168.0.0/16', purpose: 'private use' },
  { prefix: '198.18.0.0/15', purpose: 'benchmarking' },
  { prefix: '198.51.100.0/24', purpose: 'documentation' },
  { prefix: '203.0.113.0/24', purpose: 'documentation' },
  { prefix: '224.0.0.0/4', purpose: 'multicast' },
  { prefix: '240.0.0.0/4', purpose: 'reserved' },
];

/**
 * IPv6 blocks that a request must not reach. What lies outside 2000::/3 (global unicast) is refused even when no row names it;
 * the rows there give the reason.
 *
 * Source: IANA IPv6 Special-Purpose Address Registry; deprecated site-local (RFC 3879); multicast (RFC 4291).
 * 2001::/23 is refused whole: its globally reachable members are anycast services of no use to HTTP.
 */
export const IPV6_BLOCKS: readonly AddressBlock[] = [
  { prefix: '::/128', purpose: 'unspecified address' },
  { prefix: '::1/128', purpose: 'loopback' },
  { prefix: '64:ff9b:1::/48', purpose: 'local-use translation' },
  { prefix: '100::/64', purpose: 'discard only' },
  { prefix: '100:0:0:1::/64', purpose: 'dummy prefix' },
  { prefix: '2001::/32', purpose: 'Teredo' },
  { prefix: '2001:2::/48', purpose: 'benchmarking' },
  { prefix: '2001:10::/28', purpose: 'ORCHID' },
  { prefix: '2001:20::/28', purpose: 'ORCHIDv2' },
  { prefix: '2001:30::/28', purpose: 'drone remote identification' },
  { prefix: '2001::/23', purpose: 'IETF protocol assignments' },
  { prefix: '2001:db8::/32', purpose: 'documentation' },
  { prefix: '2002::/16', purpose: '6to4' },
  { prefix: '3fff::/20', purpose: 'documentation' },
  { prefix: '5f00::/16', purpose: 'segment routing' },
  { prefix: 'fc00::/7', purpose: 'unique local' },
  { prefix: 'fe80::/10', purpose: 'link local' },
  { prefix: 'fec0::/10', purpose: 'site local' },
  { prefix: 'ff00::/8', purpose: 'multicast' },
];

/** The only part of the IPv6 space whose addresses are handed out for public use (RFC 4291, IANA). */
export const GLOBAL_UNICAST: AddressBlock = { prefix: '2000::/3', purpose: 'global unicast' };

/** The well-known translation prefix (RFC 6052): judged by the IPv4 address in its last four bytes. */
export const TRANSLATION_PREFIX: AddressBlock = {
  prefix: '64:ff9b::/96',
  purpose: 'IPv4 translation',
};

/** IPv4-compatible addresses (RFC 4291, deprecated): judged by the IPv4 address in their last four bytes. */
export const COMPATIBLE_PREFIX: AddressBlock = { prefix: '::/96', purpose: 'IPv4-compatible' };

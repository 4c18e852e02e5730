import { fromIpv4Bytes, parseAddress } from './parse-address.ts';
import type { Address } from './parse-address.ts';
import {
  COMPATIBLE_PREFIX,
  GLOBAL_UNICAST,
  IPV4_BLOCKS,
  IPV6_BLOCKS,
  TRANSLATION_PREFIX,
} from './special-purpose-blocks.ts';
import type { AddressBlock } from './special-purpose-blocks.ts';

/** What the guard says of one address. `purpose` names the block that refuses it. */
export type AddressJudgement =
  | { readonly isPublic: true; readonly address: Address }
  | { readonly isPublic: false; readonly address: Address | undefined; readonly purpose: string };

/**
 * Says whether an address is a public destination, by prefix length against the special-purpose registries.
 *
 * Addresses that carry an IPv4 address (mapped, compatible, `64:ff9b::/96`, ISATAP interface identifiers) are judged by it;
 * 6to4 and Teredo are refused whole. Text that is no address is refused.
 */
export function judgeAddress(text: string): AddressJudgement {
  const address = parseAddress(text);
  if (address === undefined) {
    return { isPublic: false, address, purpose: 'not an address' };
  }
  const purpose = address.family === 4 ? refuseIpv4(address) : refuseIpv6(address);
  return purpose === undefined
    ? { isPublic: true, address }
    : { isPublic: false, address, purpose };
}

function refuseIpv4(address: Address): string | undefined {
  return IPV4_RULES.find((rule) => isInside(address, rule))?.purpose;
}

function refuseIpv6(address: Address): string | undefined {
  const named = IPV6_RULES.find((rule) => isInside(address, rule));
  if (named !== undefined) {
    return named.purpose;
  }
  if (isInside(address, TRANSLATION_RULE) || isInside(address, COMPATIBLE_RULE)) {
    return refuseIpv4(embeddedIpv4(address));
  }
  if (!isInside(address, GLOBAL_RULE)) {
    return 'outside global unicast';
  }
  return isIsatap(address) ? refuseIpv4(embeddedIpv4(address)) : undefined;
}

/** RFC 5214: the interface identifier is 00-00-5E-FE or 02-00-5E-FE, then the IPv4 address of the tunnel's end. */
function isIsatap({ bytes }: Address): boolean {
  return (
    ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
  );
}

function embeddedIpv4({ bytes }: Address): Address {
  return fromIpv4Bytes(bytes.slice(12));
}

interface Rule {
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly purpose: string;
}

function isInside(address: Address, rule: Rule): boolean {
  const whole = rule.length >> 3;
  for (let index = 0; index < whole; index += 1) {
    if (address.bytes[index] !== rule.bytes[index]) {
      return false;
    }
  }
  const rest = rule.length & 7;
  const mask = (0xff00 >> rest) & 0xff;
  return ((address.bytes[whole] ?? 0) & mask) === ((rule.bytes[whole] ?? 0) & mask);
}

function toRule({ prefix, purpose }: AddressBlock): Rule {
  const [lowest = '', length = ''] = prefix.split('/');
  const address = parseAddress(lowest);
  if (address === undefined) {
    throw new TypeError(`Not an address block: ${prefix}`);
  }
  return { bytes: address.bytes, length: Number(length), purpose };
}

const IPV4_RULES = IPV4_BLOCKS.map(toRule);
const IPV6_RULES = IPV6_BLOCKS.map(toRule);
const TRANSLATION_RULE = toRule(TRANSLATION_PREFIX);
const COMPATIBLE_RULE = toRule(COMPATIBLE_PREFIX);
const GLOBAL_RULE = toRule(GLOBAL_UNICAST);

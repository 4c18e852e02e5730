import { parseAddress } from '../address/parse-address.ts';

/** A socket's far end: an IP address in its one spelling, and a port. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/**
 * Reads `127.0.0.1:8080` or `[::1]:9000` from a host's configuration. Errors: `TypeError`, naming `field`, for a name,
 * a wildcard, a missing port or anything else that is no single socket endpoint.
 */
export function parseEndpoint(text: string, field: string): Endpoint {
  const match = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<v4>[0-9.]+)):(?<port>[1-9]\d{0,4})$/iu.exec(text);
  const address = parseAddress(match?.groups?.['v6'] ?? match?.groups?.['v4'] ?? '');
  const port = Number(match?.groups?.['port']);
  if (address === undefined || !(port <= 65_535)) {
    throw new TypeError(
      `${field}: ${JSON.stringify(text)} is no socket endpoint; write an IP address and a port, such as "127.0.0.1:8080" or "[::1]:9000".`,
    );
  }
  return { address: address.text, port };
}

/** The one spelling of an endpoint, for comparisons. */
export function endpointKey(endpoint: Endpoint): string {
  return `${endpoint.address} ${String(endpoint.port)}`;
}

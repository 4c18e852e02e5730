import { isIP } from 'node:net';
import { parseAddress } from '../address/parse-address.ts';
import { endpointKey, parseEndpoint } from './parse-endpoint.ts';
import type { Endpoint } from './parse-endpoint.ts';

/** What a host says about single endpoints and names; plain data, as it stands in a config file. */
export interface EndpointOptions {
  /**
   * Socket endpoints admitted although their address is not public, compared with what would be connected to, on every hop.
   * No names, no wildcards. Names of this machine (`localhost`) stay blocked. Default none.
   */
  readonly allowPrivateHosts?: readonly string[];
  /** Static answers by name, instead of DNS, judged like answers of DNS. Default none. */
  readonly resolve?: Readonly<Record<string, readonly string[]>>;
  /** Where the socket really goes for an endpoint that was already admitted (as curl's `--connect-to`). Default none. */
  readonly connect?: Readonly<Record<string, string>>;
}

/** {@link EndpointOptions}, read and ready to be asked. */
export interface EndpointRules {
  isAllowedPrivate(endpoint: Endpoint): boolean;
  /** The static answer for a host name; `undefined` where DNS is to be asked. */
  answersFor(hostname: string): readonly string[] | undefined;
  /** Where the socket goes for an admitted endpoint. */
  socketFor(endpoint: Endpoint): Endpoint;
}

/** Reads a host's endpoint options. Errors: `TypeError` with the path of the mistake. */
export function createEndpointRules(options: EndpointOptions): EndpointRules {
  const allowed = new Set(
    (options.allowPrivateHosts ?? []).map((text, index) =>
      endpointKey(parseEndpoint(text, `allowPrivateHosts[${String(index)}]`)),
    ),
  );
  const answers = new Map(
    Object.entries(options.resolve ?? {}).map(([name, addresses]) => [
      toHostname(name),
      checkAnswers(name, addresses),
    ]),
  );
  const sockets = new Map(
    Object.entries(options.connect ?? {}).map(([from, to]) => [
      endpointKey(parseEndpoint(from, 'connect')),
      parseEndpoint(to, `connect["${from}"]`),
    ]),
  );
  return {
    isAllowedPrivate: (endpoint) => allowed.has(endpointKey(endpoint)),
    answersFor: (hostname) => answers.get(withoutFinalDot(hostname)),
    socketFor: (endpoint) => sockets.get(endpointKey(endpoint)) ?? endpoint,
  };
}

function toHostname(name: string): string {
  const hostname = URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`).host : '';
  if (
    hostname === '' ||
    hostname.includes(':') ||
    isIP(hostname) !== 0 ||
    /[/?#@\\\s]/u.test(name)
  ) {
    throw new TypeError(`resolve: ${JSON.stringify(name)} is no host name.`);
  }
  return withoutFinalDot(hostname);
}

/** `name.test.` and `name.test` are one name. */
function withoutFinalDot(hostname: string): string {
  return hostname.replace(/\.$/u, '');
}

function checkAnswers(name: string, addresses: readonly string[]): readonly string[] {
  for (const address of addresses) {
    if (parseAddress(address) === undefined) {
      throw new TypeError(`resolve["${name}"]: ${JSON.stringify(address)} is no IP address.`);
    }
  }
  return addresses;
}

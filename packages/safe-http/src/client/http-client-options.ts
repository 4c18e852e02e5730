import type { EgressGuard } from '../egress/egress-guard.ts';
import type { Connector } from '../connect/open-socket.ts';
import type { EndpointOptions } from '../options/endpoint-rules.ts';
import type { Resolver } from '../resolve/resolver.ts';

/** How a host configures its one guarded transport. Everything is optional; the default admits public destinations alone. */
export interface HttpClientOptions extends EndpointOptions {
  /**
   * The URL of an http or https proxy, the only way to one: environment variables are not read. The proxy then resolves names,
   * so the addresses behind names are not seen and not pinned; literal addresses, ports, schemes, names of this machine and
   * names that only private networks have are still refused. Default none.
   */
  readonly proxy?: string;
  /** Certificate authorities to trust beside the built-in ones, as PEM. Default none. */
  readonly ca?: readonly string[];
  /** Default `toolwright/0.1`. */
  readonly userAgent?: string;
  /** Bytes of one response's status line and headers. Default 65,536. */
  readonly maxHeaderBytes?: number;
  /** Looks at what requests would send; a finding is asked about, or refused. Default none. */
  readonly egress?: EgressGuard;
  /** Asked instead of the operating system; its answers are judged like any other. */
  readonly resolver?: Resolver;
  /** Opens connections to endpoints that were already admitted. */
  readonly connector?: Connector;
}

import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect, rootCertificates } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { ToolError } from '@toolwright/core';
import { untilAborted } from '../client/until-aborted.ts';

/** What a TLS handshake needs. */
export interface SecureOptions {
  /** The name in the URL: sent as server name (unless it is an address) and checked against the certificate. */
  readonly hostname: string;
  /** Certificate authorities beside the built-in ones, as PEM. */
  readonly ca: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs TLS over a connected socket. The certificate must be valid for the URL's host, whatever address the socket reached.
 * Errors: `transport`/`tls`.
 */
export async function secureSocket(socket: Socket, options: SecureOptions): Promise<TLSSocket> {
  const { hostname, ca, signal } = options;
  const secure = connect({
    socket,
    host: hostname,
    // RFC 6066: a server name is no address and has no trailing dot.
    servername: isIP(hostname) === 0 ? hostname.replace(/\.$/u, '') : '',
    ALPNProtocols: ['http/1.1'],
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ...ca] }),
  });
  const handshake = new Promise<void>((resolve, reject) => {
    secure.once('secureConnect', resolve);
    secure.once('error', reject);
  });
  try {
    await untilAborted(handshake, signal);
    return secure;
  } catch (cause) {
    secure.destroy();
    signal.throwIfAborted();
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new ToolError(
      'transport',
      `No secure connection to "${hostname}" could be made${code}.`,
      {
        reason: 'tls',
        cause,
      },
    );
  }
}

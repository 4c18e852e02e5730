import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { checkServerIdentity, connect } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { ToolError } from '@toolwright/core';
import { untilAborted } from '../client/until-aborted.ts';
import type { Endpoint } from '../options/parse-endpoint.ts';
import { awaitConnected } from './await-connected.ts';
import type { ConnectOptions } from './open-socket.ts';
import type { Trust } from './trust.ts';

/** Whom a TLS connection is to reach. */
export interface SecurePeer {
  /** The name in the URL: sent as server name (unless it is an address) and checked against the certificate. */
  readonly hostname: string;
  readonly trust: Trust;
}

/**
 * Runs TLS over a connected socket. The certificate must be valid for the URL's host, whatever address the socket reached.
 * Errors: `transport`/`tls`.
 */
export async function secureSocket(
  socket: Socket,
  peer: SecurePeer,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return awaitHandshake(connect({ ...settingsFor(peer), socket }), peer, signal);
}

/**
 * Opens a TCP connection on which TLS begins at once, and resolves when the connection stands, before the handshake is done: see
 * {@link awaitHandshake}. No name is resolved here: the address is a literal.
 */
export async function connectSecure(
  { address, port }: Endpoint,
  { signal, onRead }: ConnectOptions,
  peer: SecurePeer,
): Promise<TLSSocket> {
  // Documented for `tls.connect`, yet missing from its types.
  const memory = onRead === undefined ? {} : { onread: onRead };
  const secure = connect({ ...settingsFor(peer), host: address, port, ...memory });
  secure.setNoDelay(true);
  return awaitConnected(secure, signal);
}

/** Waits until a TLS connection may be used: the certificate is valid, for the URL's host. Errors: `transport`/`tls`. */
export async function awaitHandshake(
  secure: TLSSocket,
  { hostname }: SecurePeer,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const handshake = new Promise<void>((resolve, reject) => {
    if (secure.destroyed) {
      reject(secure.errored ?? new Error('The connection was closed.'));
    }
    secure.once('secureConnect', resolve);
    secure.once('error', reject);
    secure.once('close', () => {
      reject(new Error('The connection was closed.'));
    });
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

function settingsFor({ hostname, trust }: SecurePeer): ConnectionOptions {
  return {
    // RFC 6066: a server name is no address and has no trailing dot.
    servername: isIP(hostname) === 0 ? hostname.replace(/\.$/u, '') : '',
    // The socket may go elsewhere: what counts is the host in the URL.
    checkServerIdentity: (_connectedTo, certificate) => checkServerIdentity(hostname, certificate),
    ALPNProtocols: ['http/1.1'],
    secureContext: trust.context,
  };
}

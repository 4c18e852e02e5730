import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
  type OAuthTokenVerifier,
} from '@modelcontextprotocol/server';

/** Who may connect over HTTP: this server is an OAuth 2.0 resource server, or takes tokens that it was given. */
export interface HttpAuth {
  /** Judges a token; one without `expiresAt`, or past it, is refused. See also {@link staticTokens}. */
  readonly verifier: OAuthTokenVerifier;
  /** Scopes that every token must have; without one of them the answer is 403 `insufficient_scope`. */
  readonly requiredScopes?: readonly string[];
  /** Takes only tokens issued for this resource (RFC 8707), usually the server's own URL. */
  readonly expectedResource?: URL;
  /** Issuers that clients get tokens from, told in the protected resource metadata (RFC 9728). */
  readonly authorizationServers?: readonly string[];
}

/** Milliseconds that a static token is good for from now: it has no end of its own. */
const staticLifetimeMs = 24 * 60 * 60_000;

/**
 * A verifier for tokens that both sides were given: name by token. The name is the principal that sessions are bound
 * to. Tokens are compared in constant time. Errors: `TypeError` for a token of less than 16 characters.
 */
export function staticTokens(tokens: Readonly<Record<string, string>>): OAuthTokenVerifier {
  const known = Object.entries(tokens).map(([token, name]) => {
    if (token.length < 16) throw new TypeError('A token needs at least 16 characters.');
    return { digest: digestOf(token), name };
  });
  return {
    verifyAccessToken: async (token) => {
      const digest = digestOf(token);
      let found: string | undefined;
      // All are compared, whichever fits: time tells nothing.
      for (const one of known) if (timingSafeEqual(one.digest, digest)) found = one.name;
      if (found === undefined) {
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'This token is not known here.');
      }
      return {
        token,
        clientId: found,
        scopes: [],
        expiresAt: Math.floor((Date.now() + staticLifetimeMs) / 1_000),
      };
    },
  };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Where the protected resource metadata of an endpoint stands (RFC 9728, section 3.1). */
export function metadataPath(path: string): string {
  return `/.well-known/oauth-protected-resource${path === '/' ? '' : path}`;
}

/**
 * The principal of a request: who the token's subject is, at which client. Answers the request itself, with a challenge
 * that names the metadata, and resolves to undefined when it may not pass.
 */
export async function authenticate(
  request: IncomingMessage,
  response: ServerResponse,
  auth: HttpAuth & { readonly resourceMetadataUrl: string },
): Promise<{ readonly principal: string } | undefined> {
  const requiredScopes = [...(auth.requiredScopes ?? [])];
  const { resourceMetadataUrl, verifier, expectedResource } = auth;
  try {
    const { clientId, extra } = await verifyBearerToken(request.headers.authorization, {
      verifier,
      requiredScopes,
      resourceMetadataUrl,
      ...(expectedResource === undefined ? {} : { expectedResource }),
    });
    const subject = extra?.['sub'];
    return { principal: JSON.stringify([clientId, typeof subject === 'string' ? subject : null]) };
  } catch (error) {
    const challenge = bearerAuthChallengeResponse(error, { requiredScopes, resourceMetadataUrl });
    response.writeHead(challenge.status, Object.fromEntries(challenge.headers));
    response.end(await challenge.text());
    return undefined;
  }
}

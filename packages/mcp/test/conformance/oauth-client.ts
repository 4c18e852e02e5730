import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  requestJwtAuthorizationGrant,
  PrivateKeyJwtProvider,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue } from '@toolwright/core';

const callback = 'http://localhost:3000/callback';

/** An OAuth client whose person agrees to everything at once. */
export interface AgreeingClient {
  readonly provider: OAuthClientProvider;
  /** The parameters of the redirect that waits to be redeemed; each once. */
  take(): URLSearchParams | undefined;
}

/** Makes the OAuth client that a scenario wants; registered beforehand where its context says so. */
export function oauthClient(scenario: string, context: JsonObject): AgreeingClient {
  const { client_id: id, client_secret: secret, private_key_pem: key } = context;
  if (typeof id === 'string' && typeof key === 'string') {
    const algorithm = context['signing_algorithm'];
    const provider = new PrivateKeyJwtProvider({
      clientId: id,
      privateKey: key,
      algorithm: typeof algorithm === 'string' ? algorithm : 'ES256',
    });
    return { provider, take: () => undefined };
  }
  if (scenario === 'auth/client-credentials-basic') {
    const provider = new ClientCredentialsProvider({
      clientId: textOf(id),
      clientSecret: textOf(secret),
    });
    return { provider, take: () => undefined };
  }
  const idpToken = context['idp_id_token'];
  if (typeof idpToken === 'string') {
    // What an identity provider of an enterprise says of the person is exchanged for leave to use the server.
    const provider = new CrossAppAccessProvider({
      clientId: textOf(id),
      clientSecret: textOf(secret),
      assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
        const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
          tokenEndpoint: textOf(context['idp_token_endpoint']),
          audience: authorizationServerUrl,
          resource: resourceUrl,
          idToken: idpToken,
          clientId: textOf(context['idp_client_id']),
          fetchFn,
          ...(scope === undefined ? {} : { scope }),
        });
        return jwtAuthGrant;
      },
    });
    return { provider, take: () => undefined };
  }
  return agreeing(
    typeof id === 'string' ? { client_id: id, client_secret: textOf(secret) } : undefined,
  );
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function agreeing(registered: OAuthClientInformationMixed | undefined): AgreeingClient {
  // A registration is one authorization server's; so are the tokens that it gave.
  const registrations = new Map<string, OAuthClientInformationMixed>();
  let tokens: OAuthTokens | undefined;
  let verifier = '';
  let discovered: OAuthDiscoveryState | undefined;
  let redirected: URLSearchParams | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: callback,
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    clientMetadata: {
      client_name: 'toolwright',
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
    },
    clientInformation: (about) => registrations.get(about?.issuer ?? '') ?? registered,
    saveClientInformation: (saved, about) => void registrations.set(about?.issuer ?? '', saved),
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved;
      // It led to these tokens; the next authorization looks again, for the server may have moved.
      discovered = undefined;
    },
    saveCodeVerifier: (saved) => {
      verifier = saved;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (saved) => {
      discovered = saved;
    },
    discoveryState: () => discovered,
    invalidateCredentials: (scope) => {
      if (scope === 'all' || scope === 'client') registrations.clear();
      if (scope === 'all' || scope === 'tokens') tokens = undefined;
      if (scope === 'all' || scope === 'discovery') discovered = undefined;
    },
    redirectToAuthorization: async (url) => {
      const response = await fetch(url, { redirect: 'manual' });
      const location = response.headers.get('location');
      if (location === null) throw new Error(`No redirect came from ${url.href}`);
      redirected = new URL(location).searchParams;
    },
  };
  return {
    provider,
    take: () => {
      const taken = redirected;
      redirected = undefined;
      return taken;
    },
  };
}

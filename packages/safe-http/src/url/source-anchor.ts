/** Names of query parameters that carry secrets; compared in lower case with `-` read as `_`. */
const SENSITIVE_KEYS: ReadonlySet<string> = new Set([
  'access_token',
  'api_key',
  'apikey',
  'auth',
  'authorization',
  'cookie',
  'credential',
  'id_token',
  'key',
  'password',
  'passwd',
  'refresh_token',
  'secret',
  'session',
  'sessionid',
  'sig',
  'signature',
  'token',
  'x_amz_credential',
  'x_amz_security_token',
  'x_amz_signature',
  'x_goog_credential',
  'x_goog_signature',
]);

/** The form of a URL that may be shown, logged and kept: scheme, host, port and path; no userinfo, query or fragment. */
export function toSourceAnchor(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** Says whether a query parameter of this name usually carries a secret. */
export function isSensitiveKey(name: string): boolean {
  return SENSITIVE_KEYS.has(name.toLowerCase().replaceAll('-', '_'));
}

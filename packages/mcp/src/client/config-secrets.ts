import { ToolError, type Sanitiser } from '@toolwright/core';
import type { ServerEndpoint } from './server-config.ts';

/** Names of variables, headers, parameters and flags whose values are not for anybody's eyes. */
const SECRET_NAME = /auth|cookie|cred|key|pass|private|pwd|secret|session|token/i;
/** Shorter values would hide ordinary text. */
const MIN_CHARS = 6;
/** The words in front of credentials in a header. */
const SCHEME = /^(?:basic|bearer|digest|token)$/i;

/** The values of a server's config that must not come out in what is told of the server: to be hidden, longest first. */
export function secretsOf(endpoint: ServerEndpoint): readonly string[] {
  const found = new Set<string>();
  const add = (name: string, value: string): void => {
    if (!SECRET_NAME.test(name)) return;
    for (const text of [value, ...value.split(/\s+/)]) {
      if (text.trim().length >= MIN_CHARS && !SCHEME.test(text)) found.add(text.trim());
    }
  };
  if (endpoint.kind === 'http') {
    for (const [name, value] of Object.entries(endpoint.headers)) add(name, value);
    for (const [name, value] of endpoint.url.searchParams) add(name, value);
  } else {
    for (const [name, value] of Object.entries(endpoint.env)) add(name, value);
    for (const [index, arg] of endpoint.args.entries()) {
      const [flag = '', ...rest] = arg.split('=');
      if (!flag.startsWith('-')) continue;
      add(flag, rest.length > 0 ? rest.join('=') : (endpoint.args[index + 1] ?? ''));
    }
  }
  return [...found].sort((one, other) => other.length - one.length);
}

/** A failure whose words may be a server's own, without what is to be hidden; anything else as it is. */
export function hideInFailure(error: unknown, hiding: Sanitiser): unknown {
  if (!hiding.active || !ToolError.isInstance(error)) return error;
  const { type, message, reason, detail, retryable, fields, output, metadata, cause } = error;
  return new ToolError(type, hiding.text(message), {
    retryable,
    fields: hiding.json(fields),
    ...(reason === undefined ? {} : { reason }),
    ...(detail === undefined ? {} : { detail: hiding.text(detail) }),
    ...(output === undefined ? {} : { output: hiding.text(output) }),
    ...(metadata === undefined ? {} : { metadata: hiding.json(metadata) }),
    ...(cause === undefined ? {} : { cause: hiding.error(cause) }),
  });
}

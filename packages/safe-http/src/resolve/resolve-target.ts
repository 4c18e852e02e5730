import { isIP } from 'node:net';
import { ToolError } from '@toolwright/core';
import { judgeAddress } from '../address/judge-address.ts';
import type { Endpoint } from '../options/parse-endpoint.ts';
import type { EndpointRules } from '../options/endpoint-rules.ts';
import { untilAborted } from '../client/until-aborted.ts';
import { bareHost, portOf } from '../url/parse-request-url.ts';
import type { Resolver } from './resolver.ts';

/** What resolving needs. */
export interface ResolveOptions {
  readonly rules: EndpointRules;
  readonly resolver: Resolver;
  readonly signal: AbortSignal;
}

/** Most answers of one name that are looked at; a name with more is refused, not cut. */
const MAX_ANSWERS = 64;

/**
 * Finds the endpoints that a URL's connection may go to. A name is asked for once; every one of its answers must be public,
 * or a private endpoint that the host allowed: one bad answer refuses the whole name (RFC 1918 answers beside public
 * ones are how rebinding works).
 *
 * Errors: `permission_denied`/`address_refused`; `transport`/`name_not_resolved`.
 */
export async function resolveTarget(
  url: URL,
  options: ResolveOptions,
): Promise<readonly Endpoint[]> {
  const host = bareHost(url);
  const port = portOf(url);
  if (isIP(host) !== 0) {
    return [admit(host, port, { host, rules: options.rules })];
  }
  const answers = options.rules.answersFor(host) ?? (await ask(host, options));
  if (answers.length === 0 || answers.length > MAX_ANSWERS) {
    throw new ToolError(
      'transport',
      `The host "${host}" resolves to ${String(answers.length)} addresses.`,
      {
        reason: 'name_not_resolved',
      },
    );
  }
  return answers.map((answer) => admit(answer, port, { host, rules: options.rules }));
}

/** Checks a literal address without resolving anything; names pass. Errors: `permission_denied`/`address_refused`. */
export function assertLiteralAdmitted(url: URL, rules: EndpointRules): void {
  const host = bareHost(url);
  if (isIP(host) !== 0) {
    admit(host, portOf(url), { host, rules });
  }
}

function admit(
  answer: string,
  port: number,
  context: { host: string; rules: EndpointRules },
): Endpoint {
  const judgement = judgeAddress(answer);
  const endpoint = { address: judgement.address?.text ?? answer, port };
  if (
    judgement.isPublic ||
    (judgement.address !== undefined && context.rules.isAllowedPrivate(endpoint))
  ) {
    return endpoint;
  }
  const what =
    context.host === answer
      ? `The address ${answer}`
      : `The host "${context.host}" resolves to ${answer}, which`;
  throw new ToolError(
    'permission_denied',
    `${what} is no public destination (${judgement.purpose}) and is refused; use a public one, unless the host allows this one (allowPrivateHosts).`,
    {
      reason: 'address_refused',
    },
  );
}

async function ask(host: string, { resolver, signal }: ResolveOptions): Promise<readonly string[]> {
  signal.throwIfAborted();
  try {
    return await untilAborted(resolver(host), signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new ToolError('transport', `The host "${host}" cannot be resolved.`, {
      reason: 'name_not_resolved',
      retryable: isTemporary(cause),
      cause,
    });
  }
}

function isTemporary(cause: unknown): boolean {
  return (
    typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'EAI_AGAIN'
  );
}

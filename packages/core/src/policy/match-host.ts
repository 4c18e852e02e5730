import type { Effect } from '../tool/effects.ts';
import type { GlobToken } from './match-glob.ts';
import { globPrecision, matchGlob, parseGlob } from './match-glob.ts';
import type { TargetMatcher } from './match-target.ts';

/** `POST ` before the host: an HTTP method, upper case. */
const METHOD = /^([A-Z]+) +(?=\S)/u;
/** A host with its port: `example.com:443`, `[2001:db8::1]:443`; the port may be absent. */
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:[\]]*)(?::(\*|\d{1,5}))?$/u;

/**
 * Compiles a host pattern: `[METHOD ]host[:port]`, compared label by label without regard to case.
 *
 * - `*.example.com` means every name below `example.com`, at any depth, not the name itself; a `*` elsewhere stays
 *   inside its label; `*` alone is every host;
 * - without a port every port is meant, without a method every method;
 * - `GET` includes `HEAD`; an effect without a method is a `GET`;
 * - IPv6 addresses stand in brackets; names outside ASCII are written in their `xn--` form.
 *
 * @throws TypeError for what is no such pattern.
 */
export function hostMatcher(pattern: string): TargetMatcher {
  const method = METHOD.exec(pattern)?.[1];
  const authority = method === undefined ? pattern : pattern.replace(METHOD, '');
  const [, host, port] = HOST_AND_PORT.exec(authority) ?? [];
  if (host === undefined || host === '' || /[^\u0021-\u007e]|[/@?#]/u.test(authority)) {
    throw new TypeError(
      'a host pattern is [METHOD ]host[:port] in ASCII, IPv6 addresses in brackets',
    );
  }
  const labels = toLabels(host).map((label) => {
    const tokens = label.startsWith('[') ? literal(label) : parseGlob(label);
    if (tokens === undefined || tokens.length === 0)
      throw new TypeError('a host pattern has no empty labels');
    return tokens;
  });
  const wantedPort = port === '*' ? undefined : port;
  return {
    precision: precisionOf(labels, wantedPort !== undefined || method !== undefined),
    match: (effect) =>
      (method === undefined || methodOf(effect) === (method === 'HEAD' ? 'GET' : method)) &&
      matchAuthority(labels, wantedPort, effect.target)
        ? 'all'
        : 'none',
  };
}

/** One more than the literal characters where port or method narrow it; exact only with neither pattern nor freedom. */
function precisionOf(labels: readonly (readonly GlobToken[])[], isNarrowed: boolean): number {
  if (labels.every((label) => globPrecision(label) === Infinity)) {
    return isNarrowed ? Infinity : Number.MAX_SAFE_INTEGER;
  }
  const literals = labels.flat().filter(({ kind }) => kind === 'literal').length;
  return literals + (isNarrowed ? 1 : 0);
}

function methodOf({ method }: Effect): string {
  return method === undefined || method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase();
}

function matchAuthority(
  pattern: readonly (readonly GlobToken[])[],
  port: string | undefined,
  target: string,
): boolean {
  const [, host = target, targetPort] = HOST_AND_PORT.exec(target) ?? [];
  if (port !== undefined && targetPort !== port) return false;
  const labels = toLabels(host);
  const [first] = pattern;
  const isOpen = first?.length === 1 && first[0]?.kind === 'star' && !host.startsWith('[');
  const fixed = isOpen ? pattern.slice(1) : pattern;
  if (isOpen ? labels.length <= fixed.length : labels.length !== fixed.length) return false;
  const last = labels.slice(labels.length - fixed.length);
  return fixed.every((tokens, index) => matchGlob(tokens, last[index] ?? ''));
}

/** Lower case, without a trailing dot; an address in brackets is one label. */
function toLabels(host: string): readonly string[] {
  const lower = host.toLowerCase();
  return lower.startsWith('[') ? [lower] : lower.replace(/\.$/u, '').split('.');
}

function literal(text: string): readonly GlobToken[] {
  return Array.from(text, (character) => ({ kind: 'literal', character }));
}

import { ToolError } from '../errors/tool-error.ts';
import type { CapabilityId, HostServices } from '../services/services.ts';
import type { Effect } from '../tool/effects.ts';
import { callSignal, type ViewGuard } from './view-guard.ts';

/** Views of the host's services: only those that the tool named, for the effects that were admitted. */
export function guardedServices(
  services: HostServices,
  named: ReadonlySet<CapabilityId>,
  by: {
    readonly guard: ViewGuard;
    readonly admit: (effect: Effect) => Promise<void>;
    /** Asks for this one time: nothing more is allowed afterwards. */
    readonly admitOnce: (effect: Effect) => Promise<void>;
  },
): HostServices {
  const { guard } = by;
  const { http, models, embeddings, browser } = services;
  return {
    ...(http !== undefined &&
      named.has('http') && {
        http: {
          request: async (given) => {
            guard.assertAlive();
            // A copy: what was judged is what is sent, whatever becomes of the tool's own object.
            const request = { ...given };
            assertNet(guard, request.url, request.method ?? 'GET');
            const response = await http.request({
              ...request,
              signal: callSignal(request.signal, guard),
              onRedirect: async (hop) => {
                guard.assertAlive();
                await by.admit(netEffect(hop.url, hop.method));
                await request.onRedirect?.(hop);
              },
              onEgress: async (finding) => {
                guard.assertAlive();
                const target = `${finding.target} (${finding.message})`;
                await by.admitOnce({ kind: 'unknown', target });
                await request.onEgress?.(finding);
              },
            });
            await guard.opened.keep(() => response.cancel(), guard.assertAlive);
            return response;
          },
          close: async () => {},
        },
      }),
    ...(models !== undefined &&
      named.has('models') && {
        models: {
          complete: async (request) => {
            guard.assertAlive();
            guard.grants.assertKind('model');
            return models.complete({ ...request, signal: callSignal(request.signal, guard) });
          },
        },
      }),
    ...(embeddings !== undefined &&
      named.has('embeddings') && {
        embeddings: {
          id: embeddings.id,
          dimensions: embeddings.dimensions,
          embed: async (texts, options) => {
            guard.assertAlive();
            guard.grants.assertKind('model');
            return embeddings.embed(texts, { signal: callSignal(options?.signal, guard) });
          },
        },
      }),
    ...(browser !== undefined &&
      named.has('browser') && {
        browser: {
          render: async (given) => {
            guard.assertAlive();
            const request = { ...given };
            assertNet(guard, request.url, 'GET');
            return browser.render({
              ...request,
              signal: callSignal(request.signal, guard),
              onRequest: async (target) => {
                guard.assertAlive();
                await by.admit(netEffect(target.url, target.method));
                await request.onRequest?.(target);
              },
            });
          },
          close: async () => {},
        },
      }),
  };
}

function assertNet(guard: ViewGuard, url: string, method: string): void {
  guard.grants.assertNet(netEffect(url, method));
}

/**
 * The effect of opening a URL: `host:port` as the URL parser writes it, with the method unless it reads.
 * Errors: `invalid_argument` (`bad_url`).
 */
export function netEffect(url: string, method = 'GET'): Effect {
  if (typeof url !== 'string' || typeof method !== 'string') {
    throw new TypeError('A URL and a method are texts.');
  }
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new ToolError(
      'invalid_argument',
      'The URL cannot be parsed; give an absolute http or https URL.',
      {
        reason: 'bad_url',
      },
    );
  }
  const port = parsed.port === '' ? (parsed.protocol === 'http:' ? '80' : '443') : parsed.port;
  const verb = method.toUpperCase();
  const target = `${parsed.hostname.replace(/\.$/, '')}:${port}`;
  return verb === 'GET' || verb === 'HEAD'
    ? { kind: 'net', target }
    : { kind: 'net', target, method: verb };
}

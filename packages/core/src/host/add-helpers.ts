import type { HelperSession } from '../provider/helper-session.ts';
import type { Helpers, Provider } from '../provider/provider.ts';
import type { Session } from '../session/session.ts';
import type { ToolRegistry } from '../session/tool-registry.ts';
import type { HelpersOf } from './host.ts';

/**
 * Puts the providers' helper methods on a session. Each call of one makes the provider's helpers anew over a narrow
 * session that ends with the call, so that host authority cannot be kept for later. Errors: `TypeError` for a name
 * that is taken.
 */
export function addHelpers<P extends readonly Provider[]>(
  session: Session,
  registry: ToolRegistry,
  providers: readonly Provider[],
): Session & HelpersOf<P> {
  const owners = new Map<string, string>();
  for (const provider of providers) {
    const lend = (): Lent => lendSession(session, registry, provider);
    for (const name of helperNames(provider, lend)) {
      const owner = name in session ? 'the session itself' : owners.get(name);
      if (owner !== undefined) {
        throw new TypeError(
          `Helper ${name} of provider ${provider.name} has the name of one of ${owner}.`,
        );
      }
      owners.set(name, provider.name);
      const value = (...args: never[]): unknown => callHelper(provider, name, { lend, args });
      Object.defineProperty(session, name, { value, enumerable: true });
    }
  }
  // The helpers were just defined on it, under the names that their providers' types give.
  return session as Session & HelpersOf<P>;
}

interface Lent {
  readonly session: HelperSession;
  end(): void;
}

function lendSession(session: Session, registry: ToolRegistry, provider: Provider): Lent {
  let ended = false;
  return {
    session: Object.freeze<HelperSession>({
      id: session.id,
      tool: async (name, args, options) => {
        if (ended) {
          throw new TypeError(
            `The helper of provider ${provider.name} has ended; ${name} cannot be called through it any more.`,
          );
        }
        const owner = registry.get(name)?.provider;
        if (owner !== undefined && owner !== provider) {
          throw new TypeError(
            `A helper of provider ${provider.name} can call the tools of its own provider; ${name} is of ${owner.name}.`,
          );
        }
        return session.tool(name, args, options);
      },
    }),
    end: () => {
      ended = true;
    },
  };
}

function helperNames(provider: Provider, lend: () => Lent): readonly string[] {
  const lent = lend();
  try {
    return Object.keys(provider.helpers(lent.session));
  } finally {
    lent.end();
  }
}

function callHelper(
  provider: Provider,
  name: string,
  call: { readonly lend: () => Lent; readonly args: never[] },
): unknown {
  const lent = call.lend();
  let result: unknown;
  try {
    const helpers: Helpers = provider.helpers(lent.session);
    const helper = Object.hasOwn(helpers, name) ? helpers[name] : undefined;
    if (helper === undefined) {
      throw new TypeError(`Provider ${provider.name} no longer has a helper ${name}.`);
    }
    result = helper(...call.args);
  } catch (error) {
    lent.end();
    throw error;
  }
  if (!(result instanceof Promise)) {
    lent.end();
    return result;
  }
  return result.finally(() => lent.end());
}

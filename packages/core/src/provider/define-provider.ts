import type { Tool } from '../tool/tool.ts';
import type { HelperSession } from './helper-session.ts';
import type { ConnectContext, Helpers, Provider, ProviderConnection } from './provider.ts';

/** What a provider's author writes. */
export interface ProviderSpec<H extends Helpers> {
  /** Kebab-case, unique in a host. */
  readonly name: string;
  /** The package's version. */
  readonly version: string;
  readonly tools: readonly Tool[];
  /** Text for the model about the family as a whole. */
  readonly instructions?: string;
  /** Typed conveniences that appear on the session. */
  readonly helpers?: (session: HelperSession) => H;
  /** For families whose tools come and go. */
  readonly connect?: (context: ConnectContext) => ProviderConnection;
}

/** No helper methods. */
export type NoHelpers = Readonly<Record<string, never>>;

/**
 * Makes a provider from its parts. Errors: `TypeError` for a name that is no kebab-case word or for two tools
 * of one name.
 */
export function defineProvider<H extends Helpers = NoHelpers>(spec: ProviderSpec<H>): Provider<H> {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(spec.name)) {
    throw new TypeError(
      `Provider name ${JSON.stringify(spec.name)} must be kebab-case, such as "my-tools".`,
    );
  }
  const names = new Set<string>();
  for (const tool of spec.tools) {
    if (names.has(tool.name)) {
      throw new TypeError(`Provider ${spec.name} has two tools named ${tool.name}.`);
    }
    names.add(tool.name);
  }
  return Object.freeze({
    name: spec.name,
    version: spec.version,
    tools: Object.freeze([...spec.tools]),
    instructions: spec.instructions,
    // With no helpers given, H is its default: an object without members.
    helpers: spec.helpers ?? (() => ({}) as H),
    connect: spec.connect,
  });
}

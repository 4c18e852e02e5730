import type { HostOptions, OpenOptions } from './host.ts';

/**
 * Checks what a host is made from, for callers without types. Errors: `TypeError` for what could only fail later, at a
 * call, or with words that name nothing of the caller's.
 */
export function assertHostOptions(options: HostOptions): void {
  const { providers, hooks = [], budget }: Unchecked<HostOptions> = options;
  if (!Array.isArray(providers)) throw new TypeError('providers of a host is a list of providers.');
  for (const [index, provider] of providers.entries()) {
    if (typeof provider === 'function') {
      throw new TypeError(
        `providers[${index}] is a function; call it for its provider: ${provider.name || 'provider'}().`,
      );
    }
    if (!Array.isArray(fieldOf(provider, 'tools'))) {
      throw new TypeError(`providers[${index}] is no provider; make one with defineProvider.`);
    }
  }
  if (!Array.isArray(hooks)) throw new TypeError('hooks of a host is a list of hooks.');
  if (budget !== undefined && typeof fieldOf(budget, 'reserve') !== 'function') {
    throw new TypeError('budget of a host is no budget; make one of limits with createBudget.');
  }
}

/** Checks what a session is opened on, as above. Errors: `TypeError`. */
export function assertOpenOptions(open: OpenOptions): void {
  const { workspace }: Unchecked<OpenOptions> = open;
  if (fieldOf(workspace, 'name') === undefined) {
    throw new TypeError(
      'A session is opened on a workspace, such as memoryWorkspace() or localWorkspace(directory).',
    );
  }
}

/** As callers without types may hand it over. */
type Unchecked<T> = { readonly [K in keyof T]?: unknown };

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

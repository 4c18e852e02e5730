import type { HostServices } from '../services/services.ts';
import { assertKnown } from './assert-known.ts';
import type { HostOptions, OpenOptions } from './host.ts';

/** Every option there is; the types keep the lists whole. */
const hostOptions: Readonly<Record<keyof HostOptions, true>> = {
  providers: true,
  policy: true,
  hooks: true,
  budget: true,
  projection: true,
  telemetry: true,
  trustedOrchestrators: true,
  secrets: true,
  maxActiveCalls: true,
  clock: true,
  random: true,
};
const openOptions: Readonly<Record<keyof OpenOptions, true>> = {
  workspace: true,
  services: true,
  approver: true,
  asker: true,
  state: true,
  artifacts: true,
  ownsArtifacts: true,
  id: true,
  signal: true,
};
const hostServices: Readonly<Record<keyof HostServices, true>> = {
  http: true,
  models: true,
  embeddings: true,
  browser: true,
};

/**
 * Checks what a host is made from, for callers without types. Errors: `TypeError` for what could only fail later, at a
 * call, or with words that name nothing of the caller's.
 */
export function assertHostOptions(options: HostOptions): void {
  const { providers, hooks = [], budget, maxActiveCalls }: Unchecked<HostOptions> = options;
  assertKnown('createHost', options, hostOptions);
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
  if (
    maxActiveCalls !== undefined &&
    !(typeof maxActiveCalls === 'number' && maxActiveCalls >= 1)
  ) {
    throw new TypeError('maxActiveCalls of a host is a number from 1 up.');
  }
}

/** Checks what a session is opened on, as above. Errors: `TypeError`. */
export function assertOpenOptions(open: OpenOptions): void {
  const { workspace, services }: Unchecked<OpenOptions> = open;
  assertKnown('host.open', open, openOptions);
  assertKnown('services of host.open', services, hostServices);
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

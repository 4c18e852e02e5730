import { pathToFileURL } from 'node:url';
import type { JsonObject, Provider } from '@toolwright/core';
import { ConfigError } from '../config/config-error.ts';

/**
 * The providers that a module exports; where it exports none as they are, those that its exported functions make of
 * `options`; each once. Errors: `ConfigError` for a module that cannot be imported or has none.
 */
export async function loadProvidersOf(
  file: string,
  named: { readonly name: string; readonly options: JsonObject },
): Promise<readonly Provider[]> {
  const exported = Object.values(await importModule(file, named.name));
  const ready = exported.filter(isProvider);
  const made = ready.length > 0 ? [] : await makeAll(exported, named.options);
  const byName = new Map([...ready, ...made].map((provider) => [provider.name, provider]));
  if (byName.size > 0) return [...byName.values()];
  throw new ConfigError(`Package ${named.name} exports no provider made by defineProvider.`);
}

async function importModule(
  file: string,
  name: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    // A module namespace is a record of its exports.
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new ConfigError(
      `Package ${name} cannot be loaded; see that it and what it needs are installed (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}

async function makeAll(
  exported: readonly unknown[],
  options: object,
): Promise<readonly Provider[]> {
  const made: Provider[] = [];
  for (const candidate of exported) {
    const provider = await callIfFactory(candidate, options);
    if (provider !== undefined) made.push(provider);
  }
  return made;
}

async function callIfFactory(candidate: unknown, options: object): Promise<Provider | undefined> {
  if (typeof candidate !== 'function') return undefined;
  try {
    const made: unknown = await candidate(options);
    return isProvider(made) ? made : undefined;
  } catch {
    return undefined;
  }
}

function isProvider(value: unknown): value is Provider {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    'tools' in value &&
    Array.isArray(value.tools) &&
    'helpers' in value
  );
}

import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { Provider } from '@toolwright/core';
import { ConfigError } from './config/config-error.ts';
import type { Config } from './config/load-config.ts';
import { loadProvidersOf } from './packages/load-providers.ts';
import { entryOf, findPackage, readPackage } from './packages/package-entry.ts';

/** One of our tool packages: loaded only when one of its tools may be needed. */
interface Family {
  readonly tools: readonly string[];
  /** Its tools call others, so those are needed too. */
  readonly orchestrates: boolean;
  readonly load: () => Promise<Provider>;
}

const families: readonly Family[] = [
  {
    tools: ['read', 'write', 'edit', 'patch', 'ls', 'bash', 'bash_job', 'git'],
    orchestrates: false,
    load: async () => (await import('@toolwright/tool-fs')).fs(),
  },
  {
    tools: ['search'],
    orchestrates: false,
    load: async () => (await import('@toolwright/tool-search')).search(),
  },
  {
    tools: ['tool_search', 'call_tool'],
    orchestrates: true,
    load: async () => (await import('@toolwright/tool-search')).toolSearch(),
  },
  {
    tools: ['web_fetch'],
    orchestrates: false,
    load: async () => (await import('@toolwright/tool-web')).web(),
  },
  {
    tools: ['download'],
    orchestrates: false,
    load: async () => (await import('@toolwright/tool-download')).download(),
  },
  {
    tools: ['program', 'batch'],
    orchestrates: true,
    load: async () => (await import('@toolwright/tool-program')).program(),
  },
];

/** The providers of a run, and those that the host names as trusted orchestrators. */
export interface LoadedProviders {
  readonly providers: readonly Provider[];
  readonly trusted: readonly Provider[];
  /** The one tool that was asked for needs no others: what else is configured need not be started. */
  readonly isPart: boolean;
}

/**
 * Loads our families (only those that `tool` needs, where one is named) and the packages that the config and
 * the command line name. Errors: `ConfigError` for a package that is not there or exports no provider.
 */
export async function loadProviders(options: {
  readonly tool?: string | undefined;
  readonly config: Config;
  readonly names: readonly string[];
  readonly cwd: string;
}): Promise<LoadedProviders> {
  const owner = families.find(({ tools }) => tools.includes(options.tool ?? ''));
  const others = [...(options.config.providers ?? []), ...options.names];
  const alone = owner !== undefined && !owner.orchestrates && others.length === 0;
  const needed = alone ? [owner] : options.tool?.startsWith('mcp__') === true ? [] : families;
  const loaded = await Promise.all(
    needed.map(async (family) => ({ family, provider: await family.load() })),
  );
  const foreign: Provider[] = [];
  for (const other of others) foreign.push(...(await loadForeign(other, options.cwd)));
  return {
    providers: [...loaded.map(({ provider }) => provider), ...foreign],
    trusted: loaded.filter(({ family }) => family.orchestrates).map(({ provider }) => provider),
    isPart: alone,
  };
}

/** A package of somebody else's, or a file or folder of one: found from where the command runs, else beside this one. */
async function loadForeign(
  named: NonNullable<Config['providers']>[number],
  cwd: string,
): Promise<readonly Provider[]> {
  const { name, options } =
    typeof named === 'string'
      ? { name: named, options: {} }
      : { name: named.package, options: named.options ?? {} };
  return loadProvidersOf(fileOf(name, cwd), { name, options });
}

function fileOf(name: string, cwd: string): string {
  if (name.startsWith('.') || isAbsolute(name)) {
    const path = resolve(cwd, name);
    return existsSync(join(path, 'package.json')) ? entryOf(readPackage(path)) : path;
  }
  const found = findPackage(name, cwd) ?? findPackage(name, import.meta.dirname);
  if (found !== undefined) return entryOf(found);
  throw new ConfigError(`Package ${name} is not there; install it where you run the command.`);
}
